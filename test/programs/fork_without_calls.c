/* A child that calls nothing instrumented, and one that calls nothing and becomes another program:
 * "fork_without_calls [PROGRAM]". */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void in_parent(void) { __asm__ volatile(""); }
__attribute__((no_instrument_function)) static void show_end(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
}

int main(int count, char** arguments) {
    in_parent();
    pid_t child = fork();
    if (child == 0)
        _exit(3);
    show_end(child);
    if (count > 1) {
        child = fork();
        if (child == 0) {
            execv(arguments[1], arguments + 1);
            _exit(127);
        }
        show_end(child);
    }
    in_parent();
    return 0;
}
