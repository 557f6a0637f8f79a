/* A hundred children at once; child i calls work() i + 1 times. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

enum { children = 100 };

FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION int run_child(int start, int calls) {
    char byte;
    if (read(start, &byte, 1) < 0) /* until all children exist */
        return 1;
    for (int i = 0; i < calls; i++)
        work();
    return calls;
}

int main(void) {
    int start[2], sum = 0;
    if (pipe(start) != 0)
        return 1;
    for (int i = 0; i < children; i++)
        if (fork() == 0) {
            close(start[1]);
            return run_child(start[0], i + 1);
        }
    close(start[1]);
    for (int status; wait(&status) > 0;)
        sum += WEXITSTATUS(status);
    printf("%d\n", sum);
    return 0;
}
