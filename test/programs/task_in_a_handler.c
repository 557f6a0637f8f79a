/* Creates its first task in a signal handler, and a second one later; prints the number of threads
 * after each. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <signal.h>
#include <stdio.h>

#include <vftrace/tasks.h>

static int threads(void) {
    int found = 0;
    DIR* folder = opendir("/proc/self/task");
    for (struct dirent* entry; (entry = readdir(folder));)
        found += entry->d_name[0] != '.';
    closedir(folder);
    return found;
}

static void handler(int number) {
    (void)number;
    vftrace_task_complete(vftrace_task_create("in the handler", 0, 0));
}

int main(void) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    const int before = threads();
    vftrace_task_complete(vftrace_task_create("later", 0, 0));
    printf("in the handler %d threads, later %d\n", before, threads());
    return 0;
}
