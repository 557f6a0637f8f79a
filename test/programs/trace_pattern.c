/* Calls in a fixed pattern until it is killed, at a moderate rate: step(leaf, leaf), and again.
   trace_pattern SIGNAL MILLISECONDS: ends by that signal; 0: continues. */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) void leaf(int i) { sum += i; }

__attribute__((noinline)) void step(int i) {
    leaf(i);
    leaf(i + 1);
}

__attribute__((no_instrument_function)) static long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(int argc, char** argv) {
    int number = argc > 1 ? atoi(argv[1]) : 0;
    long end = milliseconds() + (argc > 2 ? atol(argv[2]) : 0);
    for (int i = 0;; i++) {
        step(i);
        if (i % 10 == 0)
            usleep(1000);
        if (number && milliseconds() >= end)
            raise(number);
    }
}
