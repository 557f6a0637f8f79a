/* Children that are constantly interrupted by a handler with a region, from before their first
 * event on. Each enters `work` a thousand times. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vftrace.h"

enum { children = 20 };

static void on_alarm(int signal) {
    (void)signal;
    vftrace_region_begin("handler");
    vftrace_region_end("handler");
}

static int run_child(void) {
    const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 1000; i++) {
        vftrace_region_begin("work");
        vftrace_region_end("work");
    }
    setitimer(ITIMER_REAL, &never, NULL);
    return 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    int sum = 0;
    sigaction(SIGALRM, &action, NULL);
    vftrace_region_begin("parent");
    vftrace_region_end("parent");
    for (int i = 0; i < children; i++) {
        if (fork() == 0)
            exit(run_child());
        int status = 0;
        wait(&status);
        sum += WEXITSTATUS(status);
    }
    printf("%d\n", sum);
    return 0;
}
