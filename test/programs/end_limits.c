// Ends in environments in which little works: "end_limits HOW".
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }

__attribute__((noinline)) static void later(void) { __asm__ volatile(""); }

static void limit(int resource) {
    struct rlimit none = {0, 0};
    if (resource == RLIMIT_NOFILE) {  // all in use, and not to be raised
        int last = 0;
        for (int file = 0; (file = open("/dev/null", O_RDONLY)) >= 0;)
            last = file > last ? file : last;
        none.rlim_cur = none.rlim_max = (rlim_t)last + 1;
    }
    setrlimit(resource, &none);
}

// Allows what this program needs to end, and kills it for anything else.
static int filter_system_calls(int by_libseccomp_call) {
#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        ALLOW(newfstatat),
        ALLOW(prctl),
        ALLOW(munmap),
        ALLOW(brk),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 1;
    return by_libseccomp_call ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0
                              : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static void* end_of_thread(void* unused) {
    work();
    exit(5);
    return unused;
}

static void end_of_fiber(void) {
    work();
    exit(6);
}

static int end_on_small_stack(int in_thread) {
    static ucontext_t here, fiber;
    static char stack[20 * 1024] __attribute__((aligned(64)));
    if (in_thread) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 20 * 1024);
        if (pthread_create(&thread, &attributes, end_of_thread, NULL) == 0)
            pthread_join(thread, NULL);
        return 1;
    }
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    makecontext(&fiber, end_of_fiber, 0);
    swapcontext(&here, &fiber);
    return 1;
}

static int end(const char* how) {
    if (strcmp(how, "file size") == 0)
        limit(RLIMIT_FSIZE);
    else if (strcmp(how, "descriptors") == 0)
        limit(RLIMIT_NOFILE);
    else if (strcmp(how, "setuid") == 0)
        return setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0;
    else if (strcmp(how, "setreuid") == 0)
        return setreuid(65534, 65534) != 0;
    else if (strcmp(how, "setresuid") == 0)
        return setresuid(65534, 65534, 65534) != 0;
    else if (strcmp(how, "seteuid") == 0)
        return seteuid(65534) != 0;
    else if (strcmp(how, "chroot") == 0)
        return mkdir("root", 0755) != 0 || chroot("root") != 0 || chdir("/") != 0;
    else if (strcmp(how, "makes directory") == 0)
        return mkdir("made", 0755);
    else if (strcmp(how, "prctl") == 0 || strcmp(how, "seccomp") == 0)
        return filter_system_calls(how[0] == 's');
    else if (strcmp(how, "thread") == 0 || strcmp(how, "fiber") == 0)
        return end_on_small_stack(how[0] == 't');
    return 0;
}

int main(int count, char** arguments) {
    for (int i = 0; i < 3; i++)
        work();
    printf("%s\n", arguments[1]);
    fflush(stdout);
    int status = end(arguments[1]);
    if (count > 2 && strcmp(arguments[2], "kill") == 0) {
        later();
        raise(SIGKILL);
    }
    if (count > 2)
        _exit(7);
    return status;
}
