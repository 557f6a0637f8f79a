/* Computes for some seconds of the thread's processor time. */
#include <time.h>

static volatile double sink;

__attribute__((noinline, noclone, unused)) static void spin(double seconds) {
    struct timespec now;
    double start, x = 1.0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    start = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    do {
        for (int i = 0; i < 20000; i++)
            x = x * 1.0000001 + 1e-9;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec - start < seconds);
    sink = x;
}
