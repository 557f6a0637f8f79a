/* Computes until it is killed; prints a line after a while. */
#include <stdio.h>

static volatile double sink;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

int main(void) {
    for (int i = 0;; i++) {
        spin(10000000);
        if (i == 10) {
            printf("here\n");
            fflush(stdout);
        }
    }
}
