/* What is sampled from outside: "seventy" and "thirty" have these shares of the time, below "work".
   All signals are counted. The first argument says what else happens; the work begins when a line
   is read from the standard input. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static void count(int number) {
    (void)number;
    signals++;
}

/* Takes the same time everywhere: the loop is aligned. */
static inline __attribute__((always_inline)) void spin(unsigned long steps) {
    unsigned long x = 3;
    __asm__ volatile(".p2align 6\n1: imul %0, %0\n\tdec %1\n\tjnz 1b" : "+r"(x), "+r"(steps));
}

__attribute__((noinline)) void seventy(unsigned long steps) { spin(7 * steps); }
__attribute__((noinline)) void thirty(unsigned long steps) { spin(3 * steps); }

/* Rounds of different lengths, so that they do not keep step with samples. */
__attribute__((noinline)) void work(int rounds) {
    unsigned random = 1;
    for (int i = 0; i < rounds; i++) {
        random = random * 1103515245 + 12345;
        unsigned long steps = 1000 + (random >> 16) % 18000;
        seventy(steps);
        thirty(steps);
    }
    __asm__ volatile("");
}

/* As many bytes of stack as the kernel's copy does not have. */
__attribute__((noinline)) void deep(int rounds) {
    volatile char room[100000];
    for (unsigned i = 0; i < sizeof room; i += 1000)
        room[i] = 1;
    work(rounds);
    room[1] = room[0];
}

static void* threads_work(void* rounds) {
    pthread_setname_np(pthread_self(), "worker");
    work(*(int*)rounds);
    return NULL;
}

#ifdef SLEEPERS
static void* sleep_until_the_end(void* nothing) {
    pause();
    return nothing;
}
#endif

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    int rounds = argc > 2 ? atoi(argv[2]) : 10000;
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD)
            signal(number, count);
#ifdef SLEEPERS
    for (int i = 0; i < SLEEPERS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, sleep_until_the_end, NULL);
    }
#endif
    puts("ready");
    fflush(stdout);
    getchar();
    if (strcmp(mode, "threads") == 0) {
        for (int i = 0; i < 3; i++) {
            pthread_t threads[2];
            int share = rounds / 6;
            for (int j = 0; j < 2; j++)
                pthread_create(&threads[j], NULL, threads_work, &share);
            for (int j = 0; j < 2; j++)
                pthread_join(threads[j], NULL);
        }
    } else if (strcmp(mode, "deep") == 0) {
        deep(rounds);
    } else if (strcmp(mode, "dlopen") == 0) {
        void* plugin = dlopen(argv[3], RTLD_NOW);
        void (*function)(void (*)(int), int) =
            (void (*)(void (*)(int), int))dlsym(plugin, "plugin_calls");
        function(work, rounds);
        dlclose(plugin);
    } else if (strcmp(mode, "fork") == 0) {
        if (fork() == 0) {
            work(rounds);
            _exit(0);
        }
        work(rounds);
        wait(NULL);
    } else if (strcmp(mode, "exec") == 0) {
        work(rounds);
        execl(argv[0], "second", "plain", argv[2], NULL);
    } else {
        work(rounds);
    }
    printf("%d signals\n", (int)signals);
    return 0;
}
