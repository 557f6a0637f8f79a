// Nanoseconds per task and per barrier in a team of two: prints "task NS" and "barrier NS", of the
// best of many rounds, because a thread that waits for a processor spoils a round for both.
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 20, TASKS = 1000, BARRIERS = 1000 };

static double per_task(void) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            for (int i = 0; i < TASKS; i++) {
#pragma omp task
                __asm__ volatile("");
            }
#pragma omp taskwait
        }
    }
    return (omp_get_wtime() - start) / TASKS * 1e9;
}

static double per_barrier(void) {
    double start = omp_get_wtime();
#pragma omp parallel num_threads(2)
    for (int i = 0; i < BARRIERS; i++) {
#pragma omp barrier
    }
    return (omp_get_wtime() - start) / BARRIERS * 1e9;
}

static double best_of(double (*round)(void)) {
    double best = round();  // the first region creates the threads of the team
    for (int i = 0; i < ROUNDS; i++) {
        double time = round();
        if (time < best)
            best = time;
    }
    return best;
}

int main(void) {
    printf("task %.1f\n", best_of(per_task));
    printf("barrier %.1f\n", best_of(per_barrier));
    return 0;
}
