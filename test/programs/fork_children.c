/* Children by fork and vfork; the profile is the parent's. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static void in_parent(void) { sink++; }
__attribute__((noinline)) static void in_child(void) { sink++; }
int main(void) {
    in_parent();
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            in_child();
            exit(i);
        }
        int status;
        waitpid(child, &status, 0);
        printf("%d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    pid_t child = vfork();
    if (child == 0)
        _exit(7);
    int status;
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    in_parent();
    return 0;
}
