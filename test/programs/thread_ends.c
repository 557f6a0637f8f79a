/* Threads that end in every way: "thread_ends return|exit|cancel|asynchronous". A cleanup handler
 * of each calls instrumented code. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 3 };
static sem_t waiting;

FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void cleanup(void* unused) {
    (void)unused;
    work();
}
FUNCTION void leave(const char* way) {
    if (strcmp(way, "exit") == 0)
        pthread_exit((void*)way);
    if (strcmp(way, "return") == 0)
        return;
    if (strcmp(way, "asynchronous") == 0)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    sem_post(&waiting);
    for (;;)
        if (strcmp(way, "cancel") == 0)
            pause();
}
FUNCTION void* worker(void* way) {
    work();
    pthread_cleanup_push(cleanup, NULL);
    leave(way);
    pthread_cleanup_pop(1);
    return way;
}
FUNCTION pthread_t spawn(char* way) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, way);
    return thread;
}

int main(int count, char** arguments) {
    char* way = count > 1 ? arguments[1] : "return";
    int cancels = way[0] == 'c' || way[0] == 'a';
    pthread_t thread[threads];
    sem_init(&waiting, 0, 0);
    for (int i = 0; i < threads; i++)
        thread[i] = spawn(way);
    for (int i = 0; i < threads; i++) {
        void* result;
        if (cancels) {
            sem_wait(&waiting); /* asynchronous: all must get here before any is cancelled */
            if (i < threads - 1)
                continue;
            for (int k = 0; k < threads; k++)
                pthread_cancel(thread[k]);
            for (int k = 0; k < threads; k++) {
                pthread_join(thread[k], &result);
                puts(result == PTHREAD_CANCELED ? "cancelled" : "?");
            }
        } else {
            pthread_join(thread[i], &result);
            puts(result);
        }
    }
    work();
    return 0;
}
