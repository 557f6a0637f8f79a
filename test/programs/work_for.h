/* Computes for some seconds of wall-clock time. */
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work_for(double seconds) {
    const double end = now() + seconds;
    while (now() < end) {
    }
}
