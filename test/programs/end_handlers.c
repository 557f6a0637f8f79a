/* Handlers of the program, which are called in the same state as without the library. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static sigjmp_buf back;
static const char* mode;
static void say(const char* text) {
    ssize_t written = write(1, text, strlen(text));
    (void)written;
}
static void handler(int number) {
    work();
    say("handler\n");
    if (!strcmp(mode, "jumps"))
        siglongjmp(back, 1);
    if (!strcmp(mode, "raises again")) {
        signal(number, SIG_DFL);
        raise(number);
        say("pending until the handler returns\n");
    }
    if (!strcmp(mode, "exits"))
        exit(17);
    if (!strcmp(mode, "restores and returns")) {
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        sigaction(number, &standard, 0);
    }
}
static void handler_with_information(int number, siginfo_t* information, void* context) {
    (void)context;
    work();
    say(number == SIGTERM && information->si_pid == getpid() ? "information\n" : "?\n");
}
/* Runs before or after our own constructors, in whatever order the loader chooses. */
__attribute__((constructor)) static void early(void) { signal(SIGWINCH, handler); }

int main(int count, char** arguments) {
    struct sigaction action, before;
    sigset_t set;
    (void)count;
    mode = arguments[1];
    for (int i = 0; i < 3; i++)
        work();
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    if (!strcmp(mode, "returns") || !strcmp(mode, "jumps") || !strcmp(mode, "raises again") ||
        !strcmp(mode, "exits")) {
        sigaction(SIGTERM, &action, 0);
        if (sigsetjmp(back, 1) == 0)
            raise(SIGTERM);
        say("after\n");
    } else if (!strcmp(mode, "resets")) {
        action.sa_flags = SA_RESETHAND;
        sigaction(SIGTERM, &action, 0);
        raise(SIGTERM);
        sigaction(SIGTERM, 0, &before);
        say(before.sa_handler == SIG_DFL ? "default\n" : "not default\n");
        raise(SIGTERM);
    } else if (!strcmp(mode, "resets with information")) {
        action.sa_sigaction = handler_with_information;
        action.sa_flags = SA_RESETHAND | SA_SIGINFO;
        sigaction(SIGTERM, &action, 0);
        raise(SIGTERM);
        raise(SIGTERM);
    } else if (!strcmp(mode, "fault and once")) {
        action.sa_flags = SA_RESETHAND;
        sigaction(SIGSEGV, &action, 0);
        *(volatile int*)8 = 1;
    } else if (!strcmp(mode, "restores and returns")) {
        sigaction(SIGSEGV, &action, 0);
        *(volatile int*)8 = 1; /* fails again after the handler has been removed */
    } else if (!strcmp(mode, "default again")) {
        sigaction(SIGTERM, &action, &before);
        raise(SIGTERM);
        sigaction(SIGTERM, &before, 0);
        raise(SIGTERM);
    } else if (!strcmp(mode, "ignored")) {
        say(signal(SIGTERM, SIG_IGN) == SIG_DFL ? "was default\n" : "was not\n");
        raise(SIGTERM);
        say(signal(SIGTERM, SIG_DFL) == SIG_IGN ? "was ignored\n" : "was not\n");
        say(signal(SIGTERM, SIG_DFL) == SIG_DFL ? "was default\n" : "was not\n");
        raise(SIGTERM);
    } else if (!strcmp(mode, "early")) {
        raise(SIGWINCH);
    } else if (!strcmp(mode, "sigwait")) {
        int number = 0;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigprocmask(SIG_BLOCK, &set, 0);
        raise(SIGTERM);
        sigwait(&set, &number);
        say(number == SIGTERM ? "got it\n" : "?\n");
    } else if (!strcmp(mode, "sigtimedwait")) {
        struct timespec short_time = {0, 1000000};
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, 0);
        int number = sigtimedwait(&set, 0, &short_time);
        say(number == -1 && errno == EAGAIN ? "none\n" : "?\n");
        raise(SIGUSR1);
        siginfo_t information;
        number = sigtimedwait(&set, &information, &short_time);
        say(number == SIGUSR1 && information.si_pid == getpid() ? "got it\n" : "?\n");
    } else if (!strcmp(mode, "signalfd")) {
        struct signalfd_siginfo information;
        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigprocmask(SIG_BLOCK, &set, 0);
        int descriptor = signalfd(-1, &set, 0);
        raise(SIGINT);
        ssize_t size = read(descriptor, &information, sizeof information);
        say(size == sizeof information && information.ssi_signo == SIGINT ? "got it\n" : "?\n");
    }
    say("end\n");
    return 4;
}
