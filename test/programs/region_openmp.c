// A marked region with parallel and serial parts, serial code outside, and a parallel region alone.
#include <time.h>

#include <vftrace.h>

static void work(double seconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) <
           seconds);
}

int main(void) {
    work(0.4);
    vftrace_region_begin("A");
#pragma omp parallel
    work(0.1);
    work(0.2);
#pragma omp parallel
    work(0.1);
    vftrace_region_end("A");
    work(0.2);
#pragma omp parallel
    work(0.2);
    return 0;
}
