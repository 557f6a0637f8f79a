/* Two parameters in one bound, in two exits of one loop, and one each at different times. */
#include "parameter.h"
static void product(int n, int m) {
    for (int i = 0; i < n * m; ++i)
        work();
}
static void exits(int n, int m) {
    for (int i = 0; i < n; ++i) {
        if (i * i > m)
            break;
        work();
    }
}
static void at_two_times(int n, int m) {
    for (int which = 0; which < 2; ++which) {
        int end = which == 0 ? 4 : 5;
        int* bound = which == 0 ? &n : &m;
        for (int i = 0; i < *bound + end; ++i)
            work();
    }
}
int main(void) {
    int n = 6, m = 5;
    PARAMETER(n);
    PARAMETER(m);
    product(n, m);
    exits(n, m);
    at_two_times(n, m);
    return 0;
}
