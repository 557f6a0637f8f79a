/* Traps invalid operations and division by zero, as gfortran's -ffpe-trap does. */
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>
__attribute__((noinline)) static double work(double x) { return x * 2; }
int main(void) {
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    printf("%.1f\n", work(2));
    return 0;
}
