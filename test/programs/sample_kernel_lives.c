/* Makes the kernel work in a thread, in a region, in a pause, and in children created by fork() or
   without the library's knowledge, for half a second of processor time each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vftrace.h"

static volatile long sink;

__attribute__((noinline)) void asks(void) {
    struct timespec now, start;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (int i = 0; i < 10000; i++)
            sink = syscall(SYS_getppid);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 500000000);
}

#define ASKS(function)                                                                             \
    __attribute__((noinline)) static void function(void) {                                         \
        asks();                                                                                    \
        sink = __LINE__;                                                                           \
    }
ASKS(in_thread)
ASKS(in_region)
ASKS(in_pause)
ASKS(after_pause)
ASKS(in_child)

static void* begins(void* argument) {
    in_thread();
    return argument;
}

static void has_region(void) {
    for (int i = 0; i < 3; i++)
        vftrace_region_begin("short"), vftrace_region_end("short");
    vftrace_region_begin("part");
    in_region();
    vftrace_region_end("part");
}

static int works_in_child(void) {
    has_region();
    in_child();
    return 3;
}

int main(void) {
    pthread_t thread;
    int status = 0;
    pthread_create(&thread, NULL, begins, NULL);
    pthread_join(thread, NULL);
    has_region();
    vftrace_pause();
    in_pause();
    vftrace_resume();
    after_pause();
    if (fork() == 0)
        exit(works_in_child());
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(works_in_child());
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
