/* Children without pthread_atfork: "fork_unannounced clone|fork|_Fork". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void in_parent(void) { __asm__ volatile(""); }
FUNCTION void in_child(void) { __asm__ volatile(""); }
FUNCTION int run_child(void) {
    in_child();
    return 4;
}
__attribute__((noinline, no_instrument_function)) static pid_t make_child(const char* way) {
#ifdef SYS_fork
    if (strcmp(way, "fork") == 0)
        return (pid_t)syscall(SYS_fork);
#endif
    if (strcmp(way, "_Fork") == 0) {
        pid_t (*function)(void) = (pid_t(*)(void))dlsym(RTLD_DEFAULT, "_Fork");
        if (function)
            return function();
    }
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

int main(int count, char** arguments) {
    int status;
    in_parent();
    pid_t child = make_child(count > 1 ? arguments[1] : "clone");
    if (child == 0)
        return run_child();
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    in_parent();
    return 0;
}
