// Two threads, bound to the processors that are given, work on halves of a large block, which the
// main thread has filled ("serial"), or each thread its half ("parallel"). Prints the sum. With one
// more argument, it then kills itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 8 << 20, rounds = 120 };
static double* field;
static int in_parallel;
static int processors[2];

static void bind_to(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

__attribute__((noinline)) static void fill(double* from, size_t numbers) {
    for (size_t i = 0; i < numbers; i++)
        from[i] = 1.0;
}

__attribute__((noinline)) static double add_up(const double* from, size_t numbers) {
    double sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < numbers; i++)
            sum += from[i];
    return sum;
}

static double sums[2];
static void* work(void* which) {
    const int half = which ? 1 : 0;
    bind_to(processors[half]);
    if (in_parallel)
        fill(field + (size_t)half * (count / 2), count / 2);
    sums[half] = add_up(field + (size_t)half * (count / 2), count / 2);
    return NULL;
}

__attribute__((noinline)) static double* make_field(void) { return malloc(count * sizeof(double)); }

int main(int argc, char** argv) {
    if (argc < 4)
        return 2;
    in_parallel = strcmp(argv[1], "parallel") == 0;
    processors[0] = atoi(argv[2]);
    processors[1] = atoi(argv[3]);
    bind_to(processors[0]);
    field = make_field();
    if (!in_parallel)
        fill(field, count);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, &threads[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%.0f\n", sums[0] + sums[1]);
    fflush(stdout);
    if (argc > 4)
        raise(SIGKILL);
    free(field);
    return 0;
}
