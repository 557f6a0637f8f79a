/* Threads that the C library makes by itself: a timer that expires three times. */
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t expirations;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void expired(union sigval value) {
    (void)value;
    leaf();
    sem_post(&expirations);
}

int main(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = expired};
    sem_init(&expirations, 0, 0);
    for (int i = 0; i < 3; i++) {
        timer_t timer;
        struct itimerspec soon = {.it_value = {0, 1000000}};
        if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
            return 1;
        timer_settime(timer, 0, &soon, NULL);
        sem_wait(&expirations);
        timer_delete(timer);
    }
    puts("done");
    return 0;
}
