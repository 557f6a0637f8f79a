/* A program with an alternate signal stack of its own. Arguments: "survives" stack overflows,
   "gives up" its own stack before, or runs a handler "without" having one. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Winfinite-recursion"

static sigjmp_buf back;
static char stack_memory[65536];

__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
__attribute__((noinline)) static int recurse(volatile char* above, int level) {
    volatile char local[256];
    local[level % 256] = above[0];
    return recurse(local, level + 1) + local[(level + 1) % 256];
}
static void on_overflow(int number) {
    (void)number;
    work();
    siglongjmp(back, 1);
}
static void deep_handler(int number) {
    volatile char local[100000];
    memset((char*)local, number, sizeof local);
    work();
    printf("%d\n", local[sizeof local / 2]);
}

int main(int count, char** arguments) {
    const char* how = arguments[1];
    stack_t own = {.ss_sp = stack_memory, .ss_size = sizeof stack_memory};
    struct sigaction action;
    char start[1] = {0};
    (void)count;
    memset(&action, 0, sizeof action);
    work();
    if (!strcmp(how, "without")) {
        action.sa_handler = deep_handler;
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR1, &action, 0);
        raise(SIGUSR1);
        return 3;
    }
    if (sigaltstack(&own, 0) != 0)
        return 1;
    if (!strcmp(how, "gives up")) {
        own.ss_flags = SS_DISABLE;
        if (sigaltstack(&own, 0) != 0)
            return 1;
        recurse(start, 0);
    }
    action.sa_handler = on_overflow;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, 0);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            recurse(start, 0);
    puts("survived");
    fflush(stdout);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return 2;
}
