// Starts as many threads as the argument says, which all live at the same time. Prints their
// number, and on the standard error output that of the mappings of the process.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_more = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;
static int begun, may_end;

APART void touch(void) { __asm__ volatile(""); }

APART void* lives(void* argument) {
    touch();
    pthread_mutex_lock(&mutex);
    begun++;
    pthread_cond_signal(&one_more);
    while (!may_end)
        pthread_cond_wait(&end, &mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static int mappings(void) {
    FILE* maps = fopen("/proc/self/maps", "r");
    int lines = 0, c;
    while (maps && (c = getc(maps)) != EOF)
        lines += c == '\n';
    return lines;
}

int main(int argc, char** argv) {
    const int wanted = argc > 1 ? atoi(argv[1]) : 100;
    pthread_t* threads = calloc(wanted, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    int made = 0, error = 0;
    while (made < wanted && !(error = pthread_create(&threads[made], &attributes, lives, 0))) {
        made++;
        pthread_mutex_lock(&mutex);
        while (begun < made)  // one after another, so that all have their first event
            pthread_cond_wait(&one_more, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    printf("%d threads: %s\n", made, strerror(error));
    fprintf(stderr, "mappings: %d\n", mappings());
    pthread_mutex_lock(&mutex);
    may_end = 1;
    pthread_cond_broadcast(&end);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], 0);
    return error != 0;
}
