/* Threads that compute for half a second. Arguments: the processor to which each is bound, or -1.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void compute(void) {
    for (int i = 0; i < 100000; i++)
        sink += i * 0.5;
}

static void* work(void* argument) {
    const int processor = atoi(argument);
    if (processor >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(processor, &set);
        pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    for (const double begun = now(); now() - begun < 0.5;)
        compute();
    return 0;
}

int main(int count, char** arguments) {
    pthread_t threads[64];
    for (int i = 1; i < count && i < 64; i++)
        pthread_create(&threads[i], 0, work, arguments[i]);
    for (int i = 1; i < count && i < 64; i++)
        pthread_join(threads[i], 0);
    return 0;
}
