/* The process ends while threads run: "thread_exit_of_process return|thread|busy". */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 3 };
static sem_t inside;
static const char* way = "return";

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void stays(void) {
    leaf();
    sem_post(&inside);
    while (strcmp(way, "busy") != 0)
        pause();
    leaf();
    sem_post(&inside);
    for (;;)
        leaf();
}
FUNCTION void* worker(void* unused) {
    stays();
    return unused;
}
FUNCTION void* ends_process(void* unused) {
    (void)unused;
    leaf();
    exit(6);
}

int main(int count, char** arguments) {
    pthread_t thread;
    if (count > 1)
        way = arguments[1];
    sem_init(&inside, 0, 0);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < (strcmp(way, "busy") == 0 ? 2 : 1) * threads; i++)
        sem_wait(&inside);
    puts("all inside");
    if (strcmp(way, "thread") == 0) {
        pthread_create(&thread, NULL, ends_process, NULL);
        pthread_join(thread, NULL);
    }
    return 5;
}
