// Work for devices: data, kernels, updates, memory that the program allocates itself, tasks.
#include <omp.h>
#include <stdio.h>

enum { SIZE = 1000 };
static double a[SIZE], b[SIZE];
static int tally[64];

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

__attribute__((noinline)) void structured(void) {
#pragma omp target data map(to : a) map(from : b)
    {
        leaf();
        for (int step = 0; step < 3; step++) {
#pragma omp target teams distribute parallel for
            for (int i = 0; i < SIZE; i++)
                b[i] = a[i] + step;
        }
#pragma omp target update from(b [0:100])
    }
}

__attribute__((noinline)) void unstructured(void) {
#pragma omp target enter data map(to : a [0:500])
#pragma omp target exit data map(from : a [0:500])
}

__attribute__((noinline)) void by_hand(void) {
    const int host = omp_get_initial_device();
    double* memory = omp_target_alloc(800, 0);
    omp_target_memcpy(memory, a, 800, 0, 0, 0, host);
    omp_target_memcpy(b, memory, 400, 0, 0, host, 0);
    omp_target_free(memory, 0);
}

__attribute__((noinline)) void as_tasks(void) {
    for (int i = 0; i < 2; i++) {
#pragma omp target nowait map(tofrom : tally[i])
        tally[i]++;
    }
#pragma omp taskwait
}

__attribute__((noinline)) void in_team(void) {
#pragma omp parallel num_threads(2)
    {
        int* own = &tally[2 + omp_get_thread_num()];
#pragma omp target map(tofrom : own [0:1])
        own[0]++;
    }
}

int main(void) {
    for (int i = 0; i < SIZE; i++)
        a[i] = i;
    structured();
    unstructured();
    by_hand();
    as_tasks();
    in_team();
    printf("%d device(s): %g %d %d %d %d\n", omp_get_num_devices() > 0, b[10], tally[0], tally[1],
           tally[2], tally[3]);
    return 0;
}
