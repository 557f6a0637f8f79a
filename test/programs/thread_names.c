/* Threads with names that they or others set early, late or never. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/prctl.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t named, started;

FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void* by_itself(void* unused) {
    work();
    pthread_setname_np(pthread_self(), "itself");
    return unused;
}
FUNCTION void* by_main(void* unused) {
    work();
    sem_post(&started);
    sem_wait(&named);
    return unused;
}
__attribute__((no_instrument_function)) static void* before_first_call(void* unused) {
    pthread_setname_np(pthread_self(), "before-any-call"); /* 15 characters, the maximum */
    work();
    return unused;
}
FUNCTION void* by_prctl(void* unused) {
    prctl(PR_SET_NAME, "by \"prctl\" \\ |");
    work();
    return unused;
}
FUNCTION void* without(void* unused) {
    work();
    return unused;
}

int main(void) {
    void* (*const starts[])(void*) = {by_itself, by_main, before_first_call, by_prctl, without};
    sem_init(&named, 0, 0);
    sem_init(&started, 0, 0);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, starts[i], NULL);
        if (starts[i] == by_main) {
            sem_wait(&started);
            pthread_setname_np(thread, "main's choice");
            sem_post(&named);
        }
        pthread_join(thread, NULL);
    }
    puts("done");
    return 0;
}
