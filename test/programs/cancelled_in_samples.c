/* Threads that are cancelled at any moment, in a program that is sampled very often: the cleanup
 * handler of each has a region. */
#include <pthread.h>
#include <stdio.h>
#include <vftrace.h>

enum { threads = 400 };
static int cleaned;

static void cleanup(void* unused) {
    (void)unused;
    vftrace_region_begin("cleanup");
    cleaned++;
    vftrace_region_end("cleanup");
}

static void* worker(void* running) {
    pthread_cleanup_push(cleanup, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    vftrace_region_begin("run");
    __atomic_store_n((int*)running, 1, __ATOMIC_RELEASE);
    for (;;)
        __asm__ volatile("");
    pthread_cleanup_pop(0);
    return running;
}

int main(void) {
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        int running = 0;
        pthread_create(&thread, NULL, worker, &running);
        while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
        }
        for (volatile int k = 0; k < 200000; k++) {
        }
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    printf("%d\n", cleaned);
    return 0;
}
