/* Two functions that call each other: DEPTH levels of each, repeated as the second argument says.
   Prints ns per call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define NOT_INLINED __attribute__((noinline))
NOT_INLINED int odd(int levels);
NOT_INLINED int even(int levels) {
    __asm__ volatile(""); /* an effect, so that no call is optimised away */
    return levels ? odd(levels - 1) + 1 : 0;
}
NOT_INLINED int odd(int levels) {
    __asm__ volatile("");
    return levels ? even(levels - 1) + 1 : 0;
}
static __attribute__((no_instrument_function)) double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}
__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    const int levels = 2 * atoi(arguments[1]) - 1, calls = atoi(arguments[2]);
    (void)count;
    even(levels); /* creates the paths */
    double best = 1e18;
    for (int turn = 0; turn < 15; turn++) {
        const double start = now();
        for (int i = 0; i < calls; i++)
            even(levels);
        const double ns = (now() - start) / ((double)calls * (levels + 1));
        best = ns < best ? ns : best;
    }
    printf("%.4f\n", best);
    return 0;
}
