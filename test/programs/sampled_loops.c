/* Most of the time is in a loop that waits for its own result. */
#include <stdio.h>

__attribute__((noinline)) static double slow(long rounds) {
    double x = 1.0;
    for (long i = 0; i < rounds; i++) {  // OUTER
        for (int k = 0; k < 2000; k++)   // INNER
            x = x * 0.999999 + 1e-6 / x;
        x += (double)i * 1e-12;
    }
    return x;
}

int main(void) {
    printf("%g\n", slow(60000));
    return 0;
}
