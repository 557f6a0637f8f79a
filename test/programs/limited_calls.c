/* Limits its system calls to those that it makes itself, and goes on: "limited_calls HOW" says how
   it ends. Any other system call is a SIGSYS. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int limit_system_calls(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(exit),
        ALLOW(rt_sigaction),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* 4 + 4 * 3 + ... different paths. */
#define FUNCTION(name) __attribute__((noinline)) static void name(int depth)
FUNCTION(a);
FUNCTION(b);
FUNCTION(c);
FUNCTION(d);
FUNCTION(a) {
    if (depth > 0)
        b(depth - 1), c(depth - 1), d(depth - 1);
    __asm__ volatile("");
}
FUNCTION(b) {
    if (depth > 0)
        a(depth - 1), c(depth - 1), d(depth - 1);
    __asm__ volatile("");
}
FUNCTION(c) {
    if (depth > 0)
        a(depth - 1), b(depth - 1), d(depth - 1);
    __asm__ volatile("");
}
FUNCTION(d) {
    if (depth > 0)
        a(depth - 1), b(depth - 1), c(depth - 1);
    __asm__ volatile("");
}

__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }

static void ignore(int number) { (void)number; }

int main(int count, char** arguments) {
    const char* how = arguments[count - 1];
    const struct itimerval soon = {{0, 0}, {0, 500000}};
    for (int i = 0; i < 3; i++)
        work();
    if (!strcmp(how, "alarm"))
        setitimer(ITIMER_REAL, &soon, NULL);
    if (limit_system_calls() != 0)
        return 9;
    ssize_t written = write(1, "limited\n", 8);
    (void)written;
    a(5); /* new call paths */
    signal(SIGUSR1, ignore);
    signal(SIGUSR1, SIG_DFL);
    for (volatile int i = 0; i < 20000000; i++)
        ;
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "quick_exit"))
        quick_exit(3);
    if (!strcmp(how, "fault"))
        __builtin_trap();
    if (!strcmp(how, "alarm"))
        for (;;)
            __asm__ volatile("");
    if (!strcmp(how, "forbidden"))
        syscall(SYS_getppid);
    if (!strcmp(how, "return"))
        return 3;
    exit(3);
}
