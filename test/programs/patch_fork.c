/* Children of fork inherit the original code and change it; those of vfork do not change it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patch_hooks.h"

__attribute__((noinline)) int leaf(int x) { return x + 1; }
__attribute__((noinline)) int other(int x) { return x + 2; }

NOT_INSTRUMENTED static int descriptors(void) {
    int open = 0;
    for (int i = 0; i < 64; i++)
        open += fcntl(i, F_GETFD) >= 0;
    return open;
}

NOT_INSTRUMENTED static void call(const char* who) {
    patch_entries();
    patch_exits();
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += leaf(i) + other(i);
    unsigned long entries = patch_entries(), exits = patch_exits();
    printf("%s: sum %d, %lu entries, %lu exits, %u removed, %d descriptors\n", who, sum, entries,
           exits, patch_removed(), descriptors());
    fflush(stdout);
}

NOT_INSTRUMENTED int main(void) {
    int status;
    call("in place");
    patch_remove(1);
    leaf(1);
    patch_remove(0);
    call("leaf removed");
    pid_t child = fork();
    if (child == 0) {
        call("child");
        printf("child puts back: %u\n", patch_restore());
        call("child");
        patch_remove(1);
        other(1);
        patch_remove(0);
        call("child, other removed");
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", status);
    call("parent");
    child = vfork();
    if (child == 0) {
        patch_not_now();
        patch_remove(1);
        other(1);
        patch_remove(0);
        _exit(patch_restore() == 0 ? (int)patch_not_now() : 99);
    }
    waitpid(child, &status, 0);
    printf("child of vfork was told %d times to wait\n", WEXITSTATUS(status));
    call("parent");
    printf("restored: %u\n", patch_restore());
    call("parent");
    return 0;
}
