/* Ends of a program with threads that handles signals itself: no handler of its own runs.
   "end_own_handlers WHICH HOW" */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }

static void say(const char* text) {
    ssize_t written = write(1, text, strlen(text));
    (void)written;
}

static void handler(int number) {
    (void)number;
    say("a handler of the program ran\n");
}

static int threads_that_run;

static void handle(int number, int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

static void* wait_for_ever(void* unused) {
    work();
    __atomic_fetch_add(&threads_that_run, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return unused;
}

/* Its handler is set at any moment of the end. */
static void* change_for_ever(void* unused) {
    work();
    __atomic_fetch_add(&threads_that_run, 1, __ATOMIC_RELEASE);
    for (;;) {
        handle(SIGSYS, SA_RESETHAND);
        signal(SIGSYS, SIG_DFL);
    }
    return unused;
}

int main(int count, char** arguments) {
    const char *which = arguments[1], *how = arguments[count - 1];
    const int changes = !strcmp(which, "changes");
    for (int i = 0; i < 3; i++)
        work();
    if (!strcmp(which, "one"))
        handle(SIGSYS, SA_RESETHAND | SA_NODEFER);
    else if (!strcmp(which, "all"))
        for (int number = 1; number < NSIG; number++)
            handle(number, number % 2 ? SA_RESETHAND : 0);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, changes ? change_for_ever : wait_for_ever, NULL);
    }
    const struct timespec moment = {0, 1000000};
    while (__atomic_load_n(&threads_that_run, __ATOMIC_ACQUIRE) < 3)
        nanosleep(&moment, NULL);
    say("ends\n");
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "quick_exit"))
        quick_exit(3);
    exit(3);
}
