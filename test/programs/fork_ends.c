/* A child that returns from main, exits or leaves by _exit: "fork_ends return|exit|_exit". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void before(void) { __asm__ volatile(""); }
FUNCTION void in_parent(void) { __asm__ volatile(""); }
FUNCTION void in_child(void) { __asm__ volatile(""); }
FUNCTION int run_child(const char* way) {
    in_child();
    in_child();
    if (strcmp(way, "exit") == 0)
        exit(5);
    if (strcmp(way, "_exit") == 0)
        _exit(6);
    return 4;
}

int main(int count, char** arguments) {
    int status;
    before();
    pid_t child = fork();
    if (child == 0)
        return run_child(count > 1 ? arguments[1] : "return");
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    in_parent();
    return 0;
}
