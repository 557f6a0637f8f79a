/* Spends most of its time in a function of 1 or 2 ns per call, which compilers inline if it has no
   hooks. */
#include <stdio.h>

#ifdef HOOKED
#define ACCESSOR __attribute__((noinline))
#else
#define ACCESSOR static inline
#endif
enum { CALLS = 400000000, VALUES = 64 };

static volatile long values[VALUES];

ACCESSOR long value(long i) { return values[i % VALUES]; }

__attribute__((noinline)) long sum(long calls) {
    long total = 0;
    for (long i = 0; i < calls; i++)
        total += value(i);
    return total;
}

int main(void) {
    for (long i = 0; i < VALUES; i++)
        values[i] = i;
    long total = 0;
    for (int i = 0; i < 100; i++)
        total += sum(CALLS / 100);
    printf("%ld\n", total);
    return 0;
}
