/* A thread that is created before main, when nothing is recorded yet. It calls instrumented
 * functions before and after main has begun. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#define FUNCTION __attribute__((noinline)) static

static sem_t main_runs, early_done;
static pthread_t thread;

FUNCTION void early(void) { __asm__ volatile(""); }
FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void* worker(void* unused) {
    early();
    sem_post(&early_done);
    sem_wait(&main_runs);
    for (int i = 0; i < 5; i++)
        work();
    return unused;
}
__attribute__((constructor, noinline)) static void before_main(void) {
    sem_init(&main_runs, 0, 0);
    sem_init(&early_done, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&early_done);
}

int main(void) {
    sem_post(&main_runs);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
