/* A short function that is called all the time for a while, and then 10,000 times a second. */
#include <stdio.h>
#include <time.h>

#define UNHOOKED __attribute__((no_instrument_function, always_inline)) static inline
#define OWN __attribute__((noinline, noclone))
enum { STEPS = 20 };

UNHOOKED double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

OWN unsigned long short_one(unsigned long x) {
    for (int i = 0; i < STEPS; i++)
        x = x * 6364136223846793005ul + 1442695040888963407ul;
    return x;
}

OWN unsigned long often(unsigned long x, double time) {
    for (double end = seconds() + time; seconds() < end;)
        for (int i = 0; i < 1000; i++)
            x = short_one(x);
    return x;
}

OWN unsigned long wait_a_little(unsigned long x) {
    for (double end = seconds() + 1e-4; seconds() < end;)
        x++;
    return x;
}

OWN unsigned long rarely(unsigned long x, double time) {
    for (double end = seconds() + time; seconds() < end;)
        x = short_one(wait_a_little(x));
    return x;
}

int main(void) {
    printf("%d\n", rarely(often(1, 0.5), 6.0) == 0);
    return 0;
}
