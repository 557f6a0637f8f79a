/* main calls solve once, solve calls sweep 40 times, and sweep calls point 20,000 times. */
#include <stdio.h>

#define OWN __attribute__((noinline, noclone))
enum { SWEEPS = 40, POINTS = 20000 };

OWN double point(double x) { return x * 0.999 + 1; }

OWN double sweep(double x) {
    for (int i = 0; i < POINTS; i++)
        x = point(x);
    return x;
}

OWN double solve(double x) {
    for (int i = 0; i < SWEEPS; i++)
        x = sweep(x);
    return x;
}

int main(void) {
    printf("%.3f\n", solve(1));
    return 0;
}
