/* Allocates on several threads, for runs with another library preloaded. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 3, blocks = 2000 };

FUNCTION void* allocate(size_t size) { return malloc(size); }
FUNCTION void release(void* block) { free(block); }
FUNCTION void* worker(void* unused) {
    for (int i = 0; i < blocks; i++) {
        char* block = allocate((size_t)i + 1);
        block[i] = 1;
        release(block);
    }
    return unused;
}

int main(void) {
    pthread_t thread[threads];
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    puts("done");
    return 0;
}
