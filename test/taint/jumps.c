/* longjmp out of functions. */
#include "parameter.h"
#include <setjmp.h>
static jmp_buf place;
static void deep(int n) {
    for (int i = 0; i < n; ++i)
        work();
    longjmp(place, 1);
}
static void middle(int n) {
    deep(n);
    work();
}
static void after(int m) {
    for (int i = 0; i < m; ++i)
        work();
}
int main(void) {
    int n = 3, m = 4;
    PARAMETER(n);
    PARAMETER(m);
    if (setjmp(place) == 0)
        middle(n);
    else
        after(m);
    return 0;
}
