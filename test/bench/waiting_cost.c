/* What watching costs. Arguments: what to measure, and how often it is done. Prints ns each:
 * block: two threads hand a byte to each other through pipes, each waiting for the other;
 * lock: a free mutex is locked and unlocked; call: an empty function is called. Not a time:
 * contend: two threads want a mutex for half of their time; how often they wait, in 1,000 times. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define OUTSIDE __attribute__((no_instrument_function, noinline))

static int there[2], back[2];
static long times;
static volatile int sink;

static double now(void) OUTSIDE;
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

__attribute__((noinline)) static void leaf(void) { sink++; }
__attribute__((noinline)) static int take(int file) {
    char byte;
    return (int)read(file, &byte, 1);
}
static void* answer(void* unused) {
    for (long i = 0; i < times; i++) {
        sink += take(there[0]);
        sink += (int)write(back[1], "x", 1);
    }
    return unused;
}
static void hand_over(void) {
    pthread_t other;
    if (pipe(there) || pipe(back))
        exit(1);
    pthread_create(&other, 0, answer, 0);
    for (long i = 0; i < times; i++) {
        sink += (int)write(there[1], "x", 1);
        sink += take(back[0]);
    }
    pthread_join(other, 0);
}

static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void work(void) {
    for (int i = 0; i < 2000; i++)
        sink += i;
}
static void* contender(void* unused) {
    for (long i = 0; i < times; i++) {
        pthread_mutex_lock(&wanted);
        work();
        pthread_mutex_unlock(&wanted);
        work();
    }
    return unused;
}
static double contend(void) {
    pthread_t other;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    pthread_create(&other, 0, contender, 0);
    contender(0);
    pthread_join(other, 0);
    getrusage(RUSAGE_SELF, &after);
    return 1000.0 * (after.ru_nvcsw - before.ru_nvcsw) / (2 * times);
}

int main(int count, char** arguments) OUTSIDE;
int main(int count, char** arguments) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (count != 3)
        return 1;
    times = atol(arguments[2]);
    if (!strcmp(arguments[1], "contend")) {
        printf("%.3f\n", contend());
        return 0;
    }
    double best = 1e30;
    for (int turn = 0; turn < 5; turn++) {
        const double start = now();
        if (!strcmp(arguments[1], "block"))
            hand_over();
        else if (!strcmp(arguments[1], "lock"))
            for (long i = 0; i < times; i++) {
                pthread_mutex_lock(&mutex);
                pthread_mutex_unlock(&mutex);
            }
        else
            for (long i = 0; i < times; i++)
                leaf();
        const double ns = (now() - start) / times;
        if (ns < best)
            best = ns;
    }
    printf("%.3f\n", best);
    return 0;
}
