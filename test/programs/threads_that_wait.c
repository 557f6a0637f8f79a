/* Threads that wait for a lock, for a pipe, and for time, and one that computes, until the input
 * ends. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends_of_pipe[2];

FUNCTION void takes_lock(void) { pthread_mutex_lock(&lock); }
FUNCTION void reads_pipe(void) {
    char byte;
    if (read(ends_of_pipe[0], &byte, 1) != 0)
        perror("read");
}
FUNCTION void sleeps(void) {
    for (;;)
        sleep(100);
}
FUNCTION void computes(void) {
    for (volatile long i = 0;; i++) {
    }
}
static void* run(void* function) {
    ((void (*)(void))function)();
    return NULL;
}

int main(void) {
    void (*const functions[])(void) = {takes_lock, reads_pipe, sleeps, computes};
    pthread_t thread;
    if (pipe(ends_of_pipe) != 0)
        return 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, run, (void*)functions[i]);
    puts("ready");
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
    return 0;
}
