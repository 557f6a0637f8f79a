/* The program ends while it is paused: one thread has an open call, one has left its call. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <vftrace.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t paused, inside;

FUNCTION void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}
FUNCTION void left_meanwhile(void) {
    sem_post(&inside);
    sem_wait(&paused);
}
FUNCTION void* worker(void* unused) {
    left_meanwhile();
    sem_post(&inside);
    for (;;)
        pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&paused, 0, 0);
    sem_init(&inside, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&inside);
    vftrace_pause();
    sem_post(&paused);
    sem_wait(&inside);
    sleep_ms(200);
    puts("done");
    return 0;
}
