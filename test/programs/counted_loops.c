/* Loops whose iterations hooks count by the calls in them, and one where they cannot. */
#include <stdio.h>

static volatile double sink;

__attribute__((noinline)) void step(int rounds) {
    double x = rounds;
    for (int i = 0; i < rounds; i++)
        x = x * 0.999999 + 1e-6 / x;
    sink = x;
}

__attribute__((noinline)) void other(int rounds) { step(rounds); }

__attribute__((noinline)) void sweep(int n) {
    for (int i = 0; i < n; i++) {  // COUNTED
        step(4000);
        if (i % 3 == 0)
            other(4000);
    }
    double x = n;
    for (int i = 0; i < n * 4000; i++)  // UNKNOWN
        x = x * 0.999999 + 1e-6 / x;
    sink = x;
}

int main(void) {
    for (int i = 0; i < 20; i++)
        sweep(700);
    printf("done\n");
    return 0;
}
