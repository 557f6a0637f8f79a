/* Prints everything that the program can query about its signals and their stack. */
#define _GNU_SOURCE
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wrestrict"
#endif
sighandler_t sysv_signal(int, sighandler_t);

static void handler(int number) { (void)number; }

static const char* name(void (*function)(int)) {
    return function == SIG_DFL    ? "default"
           : function == SIG_IGN  ? "ignore"
           : function == handler  ? "handler"
           : function == SIG_ERR  ? "error"
           : function == SIG_HOLD ? "hold"
                                  : "something else";
}
static void show(const char* what, int number) {
    struct sigaction action;
    memset(&action, 0xee, sizeof action);
    int result = sigaction(number, 0, &action);
    if (result != 0) {
        printf("%s %d: refused\n", what, number);
        return;
    }
    unsigned long mask = 0;
    for (int other = 1; other <= 64; other++)
        if (sigismember(&action.sa_mask, other))
            mask |= 1ul << (other - 1);
    printf("%s %d: %s %x %lx\n", what, number, name(action.sa_handler), (unsigned)action.sa_flags,
           mask);
}
static void show_stack(const char* what) {
    stack_t stack;
    memset(&stack, 0xee, sizeof stack);
    int result = sigaltstack(0, &stack);
    printf("%s: %d %s %d %zu\n", what, result, stack.ss_sp ? "somewhere" : "nowhere",
           stack.ss_flags, stack.ss_size);
}
static char own_stack[65536];
static void stacks(void) {
    show_stack("at start");
    stack_t own = {.ss_sp = own_stack, .ss_size = sizeof own_stack}, before;
    memset(&before, 0xee, sizeof before);
    printf("%d\n", sigaltstack(&own, &before));
    printf("before: %d %zu %d\n", before.ss_flags, before.ss_size, before.ss_sp == 0);
    show_stack("own");
    own.ss_flags = SS_DISABLE;
    printf("%d\n", sigaltstack(&own, &own)); /* one object for both */
    printf("own: %d %zu %d\n", own.ss_flags, own.ss_size, own.ss_sp == own_stack);
    show_stack("disabled");
    own.ss_size = 1;
    own.ss_flags = 0;
    printf("too small: %d\n", sigaltstack(&own, 0));
    own.ss_flags = 77;
    printf("wrong flags: %d\n", sigaltstack(&own, 0));
    show_stack("as before");
}
static void* thread(void* unused) {
    stacks();
    return unused;
}

int main(void) {
    for (int number = -1; number <= 66; number++)
        show("at start", number);
    for (int number = 1; number <= 64; number++) {
        printf("signal %d: %s\n", number, name(signal(number, handler)));
        show("signal", number);
        printf("signal %d: %s\n", number, name(signal(number, SIG_DFL)));
        show("default", number);
    }
    printf("%s %s\n", name(sysv_signal(SIGTERM, handler)), name(sysv_signal(SIGTERM, SIG_DFL)));
    show("sysv_signal", SIGTERM);
    printf("%s\n", name(sysv_signal(SIGTERM, handler)));
    show("sysv_signal", SIGTERM);
    printf("%s\n", name(signal(SIGTERM, SIG_DFL)));
    printf("%s\n", name(sigset(SIGTERM, handler)));
    printf("%s\n", name(sigset(SIGTERM, SIG_HOLD)));
    printf("%s\n", name(sigset(SIGTERM, SIG_HOLD)));
    printf("%s\n", name(sigset(SIGTERM, SIG_DFL)));
    printf("%s\n", name(sigset(SIGTERM, SIG_HOLD)));
    printf("%s\n", name(sigset(SIGTERM, SIG_DFL)));
    show("sigset", SIGTERM);
    printf("%d\n", sigignore(SIGTERM));
    show("sigignore", SIGTERM);
    printf("%s\n", name(signal(SIGTERM, SIG_DFL)));
    printf("%d\n", siginterrupt(SIGTERM, 1));
    show("siginterrupt 1", SIGTERM);
    printf("%d\n", siginterrupt(SIGTERM, 0));
    show("siginterrupt 0", SIGTERM);
    printf("%d\n", siginterrupt(SIGTERM, 1));
    printf("%s\n", name(signal(SIGTERM, handler)));
    show("interrupting", SIGTERM);

    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    action.sa_flags = SA_NODEFER | SA_RESETHAND;
    sigfillset(&action.sa_mask);
    printf("%d\n", sigaction(SIGUSR1, &action, 0));
    show("default with flags", SIGUSR1);
    action.sa_handler = handler;
    action.sa_flags = SA_RESETHAND | SA_ONSTACK;
    printf("%d\n", sigaction(SIGUSR2, &action, 0));
    show("once", SIGUSR2);
    raise(SIGUSR2);
    show("once, called", SIGUSR2);
    printf("%d\n", sigaction(SIGUSR2, &action, 0));
    printf("%d\n", siginterrupt(SIGUSR2, 0));
    show("once, siginterrupt 0", SIGUSR2);
    printf("%s\n", name(signal(SIGUSR2, SIG_IGN)));
    show("ignored", SIGUSR2);
    printf("%s\n", name(signal(SIGUSR2, SIG_DFL)));
    action.sa_handler = SIG_DFL;
    struct sigaction before = action;
    printf("%d\n", sigaction(SIGUSR1, &before, &before)); /* one object for both */
    printf("%s %x\n", name(before.sa_handler), (unsigned)before.sa_flags);
    printf("%d %d %d\n", sigaction(SIGKILL, &action, 0), sigaction(0, &action, 0),
           sigaction(65, 0, &before));
    printf("%s %s\n", name(signal(SIGKILL, handler)), name(signal(-5, handler)));

    stacks();
    pthread_t other;
    pthread_create(&other, 0, thread, 0);
    pthread_join(other, 0);
    return 0;
}
