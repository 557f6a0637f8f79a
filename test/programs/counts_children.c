// Reports every signal about a child until the very end of the process, which also adopts orphans.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_child(int number) {
    (void)number;
    if (write(STDOUT_FILENO, "SIGCHLD\n", 8) < 0)
        _exit(9);
}

__attribute__((noinline)) static int work(int n) { return n + 1; }

int main(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
    signal(SIGCHLD, on_child);
    printf("%d\n", work(1));
    fflush(stdout);
    return 0;
}
