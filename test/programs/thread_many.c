/* Short threads, at most four at a time: "thread_many COUNT joined|detached". */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t room, done;
static int detached;

FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void* worker(void* unused) {
    work();
    work();
    if (detached) {
        sem_post(&room);
        sem_post(&done);
    }
    return unused;
}
FUNCTION pthread_t spawn(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker, NULL) != 0)
        exit(1);
    return thread;
}

int main(int count, char** arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 12;
    detached = count > 2 && strcmp(arguments[2], "detached") == 0;
    sem_init(&room, 0, 4);
    sem_init(&done, 0, 0);
    for (int i = 0; i < threads; i += 4) {
        pthread_t some[4];
        for (int k = 0; k < 4; k++) {
            if (detached)
                sem_wait(&room);
            some[k] = spawn();
            if (detached)
                pthread_detach(some[k]);
        }
        for (int k = 0; k < 4 && !detached; k++)
            pthread_join(some[k], NULL);
    }
    for (int i = 0; i < threads && detached; i++)
        sem_wait(&done);
    printf("%d threads\n", threads);
    return 0;
}
