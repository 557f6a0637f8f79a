// Threads that pass blocks to one another, change their size and free them, while a signal handler
// allocates and children are forked that do the same. All blocks are freed in the end. Prints
// "done".
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static

enum { THREADS = 4, PLACES = 256, ROUNDS = 30000 };

static void* volatile places[PLACES];
static volatile int handled;

SITE void* gets(size_t size) { return malloc(size); }
SITE void* resizes(void* block, size_t size) { return realloc(block, size); }

// Puts a block into a place and frees what was there, which any thread may have allocated.
SITE void exchange(uint32_t random) {
    void* block = gets(1 + random % 3000);
    memset(block, 1, 1 + random % 3000);
    if (random % 5 == 0)
        block = resizes(block, 1 + random % 9000);
    free(__atomic_exchange_n(&places[random / 16 % PLACES], block, __ATOMIC_ACQ_REL));
}

SITE void* work(void* argument) {
    uint32_t random = (uint32_t)(uintptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525 + 1013904223;
        exchange(random >> 4);
    }
    return NULL;
}

// The main thread, which has the signal, does not allocate meanwhile.
static void on_alarm(int signal) {
    (void)signal;
    void* block = malloc(100 + (size_t)handled % 1000);
    handled++;
    free(block);
}

SITE void child(void) {
    for (uint32_t i = 0; i < 1000; i++)
        exchange(i * 77);
}

SITE void wait_for_alarms(int least) {
    while (handled < least) {
    }
}

SITE void empty(void) {
    for (int i = 0; i < PLACES; i++)
        free(__atomic_exchange_n(&places[i], NULL, __ATOMIC_ACQ_REL));
}

int main(void) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    pthread_t threads[THREADS];
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void*)(i + 1));
    for (int i = 0; i < 5; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            child();
            empty();
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    wait_for_alarms(20);
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    empty();
    puts("done");
    return 0;
}
