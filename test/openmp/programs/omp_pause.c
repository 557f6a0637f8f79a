// Regions before, in and after a pause; a pause in a region.
#include <omp.h>
#include <stdio.h>
#include <vftrace.h>

static int total;

__attribute__((noinline)) void leaf(void) {
#pragma omp atomic
    total++;
}

__attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    leaf();
}

__attribute__((noinline)) void partly(void) {
#pragma omp parallel num_threads(2)
    {
        leaf();
#pragma omp barrier
#pragma omp master
        vftrace_pause();
#pragma omp barrier
        leaf();
#pragma omp barrier
#pragma omp master
        vftrace_resume();
#pragma omp barrier
        leaf();
    }
}

int main(void) {
    region();
    vftrace_pause();
    region();
    region();
    vftrace_resume();
    region();
    partly();
    region();
    printf("%d\n", total);
    return 0;
}
