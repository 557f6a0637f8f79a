/* Children that borrow memory and stack: they call a function and leave by _exit, or become another
 * program: "fork_vfork [PROGRAM]". */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void child_leaves(int status) {
    leaf();
    _exit(status);
}
FUNCTION void child_becomes(char** arguments) {
    leaf();
    execv(arguments[0], arguments);
    _exit(127);
}
FUNCTION void show_end(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
}

int main(int count, char** arguments) {
    pid_t child;
    for (volatile int i = 0; i < 3; i++) {
        child = vfork();
        if (child == 0)
            child_leaves(7 + i);
        show_end(child);
    }
    if (count > 1) {
        child = vfork();
        if (child == 0)
            child_becomes(arguments + 1);
        show_end(child);
    }
    leaf();
    return 0;
}
