/* Sleeps for 20 ms while recording, and for 200 ms in a pause. */
#include <time.h>

#include "vftrace.h"

static void nap(long ms) {
    const struct timespec time = {0, ms * 1000000};
    nanosleep(&time, 0);
}
static void long_nap(void) {
    vftrace_pause();
    nap(200);
    vftrace_resume();
}

int main(void) {
    nap(20);
    long_nap();
    return 0;
}
