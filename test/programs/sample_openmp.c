/* A parallel loop in a sampled program. */
#include <omp.h>
#include <stdio.h>

static volatile double sink[64];

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink[omp_get_thread_num()] = x;
}

__attribute__((noinline)) void iteration(long turns) {
    spin(turns);
    sink[63] = 1;
}

__attribute__((noinline)) void solve(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 40; i++)
        iteration(1000000);
    spin(10000000);
}

int main(void) {
    solve();
    solve();
    printf("done\n");
    return 0;
}
