/* Dies of the signal that its arguments name: "raise NUMBER", "blocked NUMBER" (unblocked by
 * sigsuspend only), "thread NUMBER", "wait" (for a signal from outside), or of a real fault. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static volatile int zero;
__attribute__((noinline)) static void fault(const char* kind) {
    if (!strcmp(kind, "segv"))
        *(volatile int*)8 = 1;
    if (!strcmp(kind, "bus")) {
        FILE* file = tmpfile();
        volatile char* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
        page[0] = 1;
    }
    if (!strcmp(kind, "fpe"))
        zero = 100 / zero;
    if (!strcmp(kind, "ill") || !strcmp(kind, "trap")) {
#if defined(__x86_64__)
        if (!strcmp(kind, "ill"))
            __asm__ volatile("ud2");
        __asm__ volatile("int3");
#else
        raise(!strcmp(kind, "ill") ? SIGILL : SIGTRAP);
#endif
    }
    if (!strcmp(kind, "pipe")) {
        int ends[2];
        if (pipe(ends) == 0) {
            close(ends[0]);
            if (write(ends[1], "x", 1) < 0)
                puts("not killed");
        }
    }
    if (!strcmp(kind, "alarm")) {
        struct itimerval soon = {{0, 0}, {0, 1000}};
        setitimer(ITIMER_REAL, &soon, 0);
        for (;;)
            pause();
    }
    if (!strcmp(kind, "abort"))
        abort();
    if (!strcmp(kind, "overwritten")) {
        /* A jump to an unmapped address: not even the instruction can be read. */
        void (*volatile nowhere)(void) = (void (*)(void))(uintptr_t)0x1000;
        nowhere();
    }
}
static int number;
static void* thread(void* unused) {
    work();
    raise(number);
    return unused;
}

int main(int count, char** arguments) {
    const char* how = arguments[1];
    number = count > 2 ? atoi(arguments[2]) : 0;
    for (int i = 0; i < 3; i++)
        work();
    printf("%s\n", how);
    fflush(stdout);
    if (!strcmp(how, "raise"))
        raise(number);
    else if (!strcmp(how, "queued")) {
        union sigval value = {.sival_int = 42};
        sigqueue(getpid(), number, value);
    } else if (!strcmp(how, "blocked")) {
        sigset_t these, none;
        sigemptyset(&these);
        sigaddset(&these, number);
        sigprocmask(SIG_BLOCK, &these, 0);
        raise(number);
        puts("still alive");
        fflush(stdout);
        sigemptyset(&none);
        sigsuspend(&none);
    } else if (!strcmp(how, "thread")) {
        pthread_t other;
        pthread_create(&other, 0, thread, 0);
        pthread_join(other, 0);
    } else if (!strcmp(how, "wait")) {
        for (;;)
            pause();
    } else if (!strcmp(how, "compute")) {
        for (;;)
            work();
    } else {
        fault(how);
    }
    puts("survived");
    return 0;
}
