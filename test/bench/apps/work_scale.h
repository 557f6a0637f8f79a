/* What the applications share: functions that are not inlined, and the requested amount of work. */
#ifndef WORK_SCALE_H
#define WORK_SCALE_H

#include <stdio.h>
#include <stdlib.h>

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

/* The steps to do for the optional argument, a positive number of "seconds" (default 1), at a given
   number of steps per second; at least one. Any other argument ends the program. */
static inline long work_steps(int count, char** arguments, double steps_per_second) {
    double scale = 1.0;
    char* end = NULL;
    if (count == 2)
        scale = strtod(arguments[1], &end);
    if (count > 2 || (end && (end == arguments[1] || *end)) || !(scale > 0 && scale <= 1e6)) {
        fprintf(stderr, "usage: %s [SECONDS]   (work for about so many seconds, more than 0)\n",
                arguments[0]);
        exit(2);
    }
    const long steps = (long)(scale * steps_per_second + 0.5);
    return steps > 0 ? steps : 1;
}

#endif
