/* Labels pass through floating point, bits, casts, mathematical functions and copies of memory.
 */
#include "parameter.h"
#include <math.h>
#include <string.h>
static void loop(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
static void root(int n) { loop((int)sqrt((double)n)); }
static void bits(unsigned n) { loop((int)(n >> 1 & 7u)); }
static void copied(const int* n) {
    int copy[2];
    memcpy(copy, n, sizeof *n);
    loop(copy[0]);
}
static void truncated(long n) { loop((char)n); }
static void independent(int n) { loop(n - n + 3); }
int main(void) {
    int n = 9;
    PARAMETER(n);
    root(n);
    bits((unsigned)n);
    copied(&n);
    truncated(n);
    independent(n);
    return 0;
}
