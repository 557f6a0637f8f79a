// Nested regions, teams of several sizes, constructs in functions called in regions.
#include <omp.h>
#include <stdio.h>

static int total;

__attribute__((noinline)) void leaf(void) {
#pragma omp atomic
    total++;
}

__attribute__((noinline)) void inner(void) {
#pragma omp parallel num_threads(2)
    leaf();
}

__attribute__((noinline)) void outer(void) {
#pragma omp parallel num_threads(2)
    inner();
}

__attribute__((noinline)) void orphaned(void) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; i++)
        leaf();
#pragma omp critical
    leaf();
}

__attribute__((noinline)) void team_of(int threads) {
#pragma omp parallel num_threads(threads)
    orphaned();
}

int main(void) {
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
    for (int i = 0; i < 3; i++)
        outer();
    for (int threads = 1; threads <= 4; threads++)
        team_of(threads);
    team_of(2);
    orphaned();
    printf("%d\n", total);
    return 0;
}
