/* Children of children, four generations: generation n calls work() n times and ends with status n.
 * The second one forks before it calls anything itself. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void work(void) { __asm__ volatile(""); }
__attribute__((noinline, no_instrument_function)) static void wait_for(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
}

int main(void) {
    int generation = 1;
    pid_t child = 0;
    work();
    for (; generation < 4; generation++) {
        child = fork();
        if (child != 0)
            break;
        if (generation + 1 != 2)
            for (int i = 0; i < generation + 1; i++)
                work();
    }
    if (generation < 4)
        wait_for(child);
    if (generation == 2)
        for (int i = 0; i < 2; i++)
            work();
    return generation;
}
