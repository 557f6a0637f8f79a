/* Threads with special stacks: provided by the program, one after the other in the same memory and
   in separate memory, the smallest possible, a large one, one without guard; threads created
   detached. */
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

enum { own_stack = 256 << 10 };
static sem_t done;

FUNCTION int recursion(int n) {
    __asm__ volatile("");
    return n == 0 ? 0 : 1 + recursion(n - 1);
}
FUNCTION void* worker(void* depth) {
    recursion(*(int*)depth);
    sem_post(&done);
    return NULL;
}
FUNCTION pthread_t spawn(pthread_attr_t* attributes, int* depth) {
    pthread_t thread;
    if (pthread_create(&thread, attributes, worker, depth) != 0)
        exit(1);
    return thread;
}

int main(void) {
    static int depth[] = {10, 500, 10000};
    char* memory = aligned_alloc(4096, 2 * own_stack);
    pthread_attr_t attributes;
    pthread_t beside[2];
    sem_init(&done, 0, 0);

    for (int i = 0; i < 3; i++) { /* in the same memory */
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, memory, own_stack);
        pthread_join(spawn(&attributes, &depth[1]), NULL);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < 2; i++) { /* next to each other */
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, memory + i * own_stack, own_stack);
        beside[i] = spawn(&attributes, &depth[1]);
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(beside[i], NULL);

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    pthread_join(spawn(&attributes, &depth[0]), NULL);
    pthread_attr_setstacksize(&attributes, 64 << 20);
    pthread_attr_setguardsize(&attributes, 0);
    pthread_join(spawn(&attributes, &depth[2]), NULL);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    spawn(&attributes, &depth[0]);
    pthread_attr_destroy(&attributes);

    for (int i = 0; i < 8; i++)
        sem_wait(&done);
    puts("done");
    free(memory);
    return 0;
}
