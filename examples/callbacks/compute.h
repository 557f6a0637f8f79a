/* Work for the programs in this folder. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <time.h>

/* Computes for this number of seconds of processor time. */
static void compute(double seconds) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

#endif
