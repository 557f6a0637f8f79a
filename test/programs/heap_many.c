// A million blocks live at the same time, of which every second is freed again; and fork handlers
// that allocate and free, in the parent and in its children.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static
enum { blocks = 1000000, children = 20 };
static void* block[blocks];
static void* of_handler;

SITE void many(void) {
    for (int i = 0; i < blocks; i++)
        block[i] = malloc(32);
}
SITE void free_half(void) {
    for (int i = 0; i < blocks; i += 2)
        free(block[i]);
}
SITE void before_fork(void) { of_handler = malloc(5000); }
SITE void in_parent(void) { free(of_handler); }
SITE void in_child(void) {
    free(of_handler);
    free(malloc(7000));
}

int main(void) {
    many();
    free_half();
    pthread_atfork(before_fork, in_parent, in_child);
    int failed = 0;
    for (int i = 0; i < children; i++) {
        const pid_t child = fork();
        if (child == 0) {
            free(block[1]);
            exit(3);
        }
        int status;
        waitpid(child, &status, 0);
        failed += status != 3 << 8;
    }
    printf("done%s\n", failed ? ", but children failed" : "");
    return 0;
}
