/* Two threads that compute 20 calls deep, without frame pointers; prints the seconds that they took. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __thread volatile double sink;

/* Different functions: direct recursion would be one. */
#define LEVEL(n, below)                                                                            \
    __attribute__((noinline)) static void level_##n(long turns) {                                  \
        below(turns);                                                                              \
        sink = n;                                                                                  \
    }
__attribute__((noinline)) static void work(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}
LEVEL(18, work)
LEVEL(17, level_18) LEVEL(16, level_17) LEVEL(15, level_16) LEVEL(14, level_15)
LEVEL(13, level_14) LEVEL(12, level_13) LEVEL(11, level_12) LEVEL(10, level_11)
LEVEL(9, level_10) LEVEL(8, level_9) LEVEL(7, level_8) LEVEL(6, level_7) LEVEL(5, level_6)
LEVEL(4, level_5) LEVEL(3, level_4) LEVEL(2, level_3) LEVEL(1, level_2)

static long rounds;

static void* thread(void* unused) {
    for (long i = 0; i < rounds; i++)
        level_1(20000);
    return unused;
}

int main(int count, char** arguments) {
    struct timespec start, end;
    pthread_t other;
    rounds = count > 1 ? atol(arguments[1]) : 1000;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.9f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
    return 0;
}
