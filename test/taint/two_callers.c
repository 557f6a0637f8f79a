/* One function on several call paths: equal instances are one entry, others are not. */
#include "parameter.h"
__attribute__((noinline)) static void kernel(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
static void first(int n) { kernel(n); }
static void second(int n, int m) {
    kernel(n);
    for (int i = 0; i < 3; ++i)
        kernel(m);
}
int main(void) {
    int n = 3, m = 4;
    PARAMETER(n);
    PARAMETER(m);
    first(n);
    first(n);
    second(n, m);
    kernel(5);
    return 0;
}
