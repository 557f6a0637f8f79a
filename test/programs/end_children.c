/* The children that a program sees while profiles are made: only its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t children;
__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static void on_child(int number) {
    (void)number;
    children++;
}
static void wait_for(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    printf("child %x\n", status);
    fflush(stdout);
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, 0);
    work();
    for (int kind = 0; kind < 5; kind++) {
        pid_t child = fork();
        if (child == 0) {
            if (kind == 0)
                *(volatile int*)8 = 1; /* before its first event */
            work();
            if (kind == 1)
                *(volatile int*)8 = 1;
            if (kind == 2)
                _exit(12);
            if (kind == 3)
                execl("/bin/true", "true", (char*)0);
            if (kind == 4)
                for (;;)
                    pause();
        }
        if (kind == 4) {
            struct timespec short_time = {0, 50000000};
            while (nanosleep(&short_time, &short_time) != 0)
                ;
            kill(child, SIGTERM);
        }
        wait_for(child);
    }
    execl("/nonexistent/program", "program", (char*)0);
    execlp("no-such-program-anywhere", "program", (char*)0);
    execl("/etc/passwd", "program", (char*)0);
    work();
    printf("%d signals of children\n", (int)children);
    int result = waitpid(-1, 0, __WALL);
    printf("others: %d %s\n", result, strerror(errno));
    return 0;
}
