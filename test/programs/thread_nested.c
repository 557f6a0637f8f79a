/* Threads that make threads: a tree of them, or "thread_nested chain LENGTH", where each makes its
 * successor and ends without waiting for it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t last_ended;

FUNCTION void leaf(void) { __asm__ volatile(""); }
static void* worker(void* levels);
FUNCTION void spawn(intptr_t levels) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void*)levels);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
__attribute__((noinline)) static void* worker(void* levels) {
    leaf();
    if ((intptr_t)levels > 1)
        spawn((intptr_t)levels - 1);
    return NULL;
}

FUNCTION void* link_of_chain(void* left) {
    leaf();
    if (left) {
        pthread_t next;
        pthread_create(&next, NULL, link_of_chain, (char*)left - 1);
        pthread_detach(next);
    } else {
        sem_post(&last_ended);
    }
    return NULL;
}

int main(int count, char** arguments) {
    if (count > 2 && strcmp(arguments[1], "chain") == 0) {
        sem_init(&last_ended, 0, 0);
        link_of_chain((void*)(intptr_t)atoi(arguments[2]));
        sem_wait(&last_ended);
    } else {
        spawn(3);
    }
    puts("done");
    return 0;
}
