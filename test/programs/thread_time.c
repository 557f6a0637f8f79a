/* A thread works while its creator does something else: each has its own time. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}
FUNCTION void* worker(void* unused) {
    sleep_ms(200);
    return unused;
}
FUNCTION pthread_t spawn(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    return thread;
}
FUNCTION void waits(pthread_t first, pthread_t second) {
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(void) {
    pthread_t first = spawn(), second = spawn();
    waits(first, second);
    puts("done");
    return 0;
}
