/* A fork deep in calls, recursions and a region, from which both processes return level by level;
 * "fork_in_path folded": below more levels of indirect recursion than the tree has. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vftrace.h>
#define FUNCTION __attribute__((noinline)) static

static pid_t child;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void forks(void) {
    child = fork();
    leaf();
}
FUNCTION void recursion(int n) {
    if (n == 0)
        forks();
    else
        recursion(n - 1);
}
FUNCTION void inner(void) {
    recursion(3);
    leaf();
}
FUNCTION void outer(void) {
    vftrace_region_begin("phase");
    inner();
    leaf();
    vftrace_region_end("phase");
    leaf();
}
static void odd(int n);
__attribute__((noinline)) static void even(int n) {
    if (n == 0)
        forks();
    else
        odd(n - 1);
    leaf();
}
__attribute__((noinline)) static void odd(int n) {
    even(n - 1);
    leaf();
}

int main(int count, char** arguments) {
    (void)arguments;
    if (count > 1)
        even(40);
    else
        outer();
    leaf();
    if (child != 0) {
        int status;
        waitpid(child, &status, 0);
        printf("%d\n", WEXITSTATUS(status));
    }
    return 3;
}
