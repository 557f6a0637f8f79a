/* Calls whose durations differ: prints those that the caller measures, ns, one list a function.
 * "latencies killed": prints nothing. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define FUNCTION __attribute__((noinline)) static

enum { calls = 2000 };
static volatile int count;

static long long now(void) __attribute__((no_instrument_function));
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
FUNCTION void spin(int rounds) {
    for (int i = 0; i < rounds; i++)
        count++;
}
FUNCTION void waits(long ns) {
    struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}
FUNCTION void is_short(void) { count++; }
FUNCTION void falls(int levels) {
    spin(5000);
    if (levels > 1)
        falls(levels - 1);
}

int main(int argc, char** argv) {
    static long long spun[calls], waited[calls];
    for (int i = 0; i < calls; i++) {
        /* From 3 us to 0.3 ms, every hundredth call ten times as long. */
        int rounds = (8000 << rand() % 5) * (i % 100 == 99 ? 10 : 1);
        long long begin = now();
        spin(rounds);
        spun[i] = now() - begin;
        begin = now();
        if (i % 10 == 0) {
            waits(i == 1000 ? 20000000 : 100000);
            waited[i / 10] = now() - begin;
        }
        is_short();
    }
    falls(4);
    falls(4);
    if (argc > 1 && argv[1][0] == 'k')
        raise(SIGKILL);
    printf("spin");
    for (int i = 0; i < calls; i++)
        printf(" %lld", spun[i]);
    printf("\nwaits");
    for (int i = 0; i < calls / 10; i++)
        printf(" %lld", waited[i]);
    printf("\n");
    return 0;
}
