// One thread allocates in callbacks of dl_iterate_phdr(), under a lock of the loader; another one
// holds the lock that the first needs while it computes.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;
static volatile int stop;

static void* holds(void* unused) {
    (void)unused;
    while (!stop) {
        double x = 1;
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 200000; i++)
            x = x * 1.0000001 + 1e-9;
        pthread_mutex_unlock(&lock);
        sink = x;
        usleep(20);  // otherwise the other thread never gets it
    }
    return NULL;
}

static int callback(struct dl_phdr_info* information, size_t size, void* count) {
    (void)information, (void)size;
    pthread_mutex_lock(&lock);
    ++*(int*)count;
    pthread_mutex_unlock(&lock);
    return 1;
}

int main(void) {
    pthread_t thread;
    int calls = 0;
    alarm(60);
    pthread_create(&thread, NULL, holds, NULL);
    while (calls < 2000)
        dl_iterate_phdr(callback, &calls);
    stop = 1;
    pthread_join(thread, NULL);
    printf("%d calls\n", calls);
    return 0;
}
