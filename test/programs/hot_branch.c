/* A hot loop with a branch that is rarely taken, in a function that is inlined, and functions that
 * call each other. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long state = 1;

static inline unsigned next(void) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(state >> 33);
}

__attribute__((noinline)) void never_called(void) { puts("never"); }

__attribute__((noinline)) unsigned rare(unsigned value) { return value * 2654435761u ^ value >> 7; }

__attribute__((noinline)) unsigned colder(unsigned long rounds) {
    unsigned sum = 0;
    for (unsigned long i = 0; i < rounds; i++)
        sum ^= next();
    return sum;
}

__attribute__((noinline)) unsigned hot(unsigned long rounds) {
    unsigned sum = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        unsigned value = next();
        if (value % 1024 == 7)   // BRANCH
            sum += rare(value);  // SELDOM
        else
            sum = (sum * 31 + value) / (value & 15 | 1);  // OFTEN
    }
    return sum;
}

int main(int argc, char** argv) {
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000000;
    unsigned sum = 0;
    if (argc > 2)
        never_called();
    for (int i = 0; i < 100; i++)
        sum ^= hot(rounds) + colder(rounds / 8);
    printf("%u\n", sum);
    return 0;
}
