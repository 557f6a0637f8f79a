/* What hooks add to calls of a given length, by the processor's ticks: prints ns a call for calls
 * that are just too short for a bin of durations, and for longer ones, in turns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

enum { calls = 4000, turns = 101 };

__attribute__((noinline)) static void last(uint64_t ticks) {
    const uint64_t begin = __rdtsc();
    while (__rdtsc() - begin < ticks) {
    }
}

/* Of many lengths, because a loop that reads the ticks ends some ticks after them. */
__attribute__((no_instrument_function)) static double ticks_more(uint64_t least) {
    uint64_t sum = 0;
    const uint64_t begin = __rdtsc();
    for (uint64_t i = 0; i < calls; i++) {
        const uint64_t ticks = least + i * 37 % 256;
        last(ticks);
        sum += ticks;
    }
    return (double)(__rdtsc() - begin - sum) / calls;
}

__attribute__((no_instrument_function)) static double ns_a_tick(void) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const uint64_t ticks = __rdtsc();
    last(100000000);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
           (double)(__rdtsc() - ticks);
}

__attribute__((no_instrument_function)) static int is_less(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(void) {
    double shorter[turns], longer[turns];
    const double ns = ns_a_tick();
    ticks_more(1700);
    for (int i = 0; i < turns; i++) {
        shorter[i] = ticks_more(1700) * ns;
        longer[i] = ticks_more(2100) * ns;
    }
    qsort(shorter, turns, sizeof *shorter, is_less);
    qsort(longer, turns, sizeof *longer, is_less);
    printf("%.3f %.3f\n", shorter[turns / 2], longer[turns / 2]);
    return 0;
}
