// Sleeps for a millisecond.
#include <time.h>

__attribute__((noinline)) void sleeps(void) {
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, 0);
}

int main(void) {
    sleeps();
    return 0;
}
