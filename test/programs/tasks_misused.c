/* Tasks that are misused, or used in barely allowed ways; the first argument says how. In between,
 * a task "good" runs, whose figures must be right.
 *
 *   at once          four threads run the same tasks at the same time, and end them
 *   handler          a signal handler makes tasks while the program does
 *   many NUMBER      this number of types
 *   other run [ID]   prints the id of a task; applies all functions to a task of another run
 *   never ended      one is never run, one is paused, and one runs when the program ends
 *   ends of parent   a child of fork applies all functions to its parent's tasks
 *
 * Prints the number of tasks, as far as the program can know. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vftrace/tasks.h>

enum { threads = 4, rounds = 2000 };

static void good(void) {
    const vftrace_task_id task = vftrace_task_create("good", 0, 0);
    vftrace_task_run(task);
    vftrace_task_pause(task);
    vftrace_task_run(task);
    vftrace_task_complete(task);
}

static void do_all_to(vftrace_task_id task) {
    vftrace_task_run(task);
    vftrace_task_pause(task);
    vftrace_task_complete(task);
    vftrace_task_fail(task);
    vftrace_task_cancel(task);
}

static vftrace_task_id at_once_tasks[rounds];
static pthread_barrier_t barrier;

static void* at_once(void* unused) {
    for (int i = 0; i < rounds; i++) {
        pthread_barrier_wait(&barrier);
        vftrace_task_run(at_once_tasks[i]);
        vftrace_task_pause(at_once_tasks[i]);
        vftrace_task_run(at_once_tasks[i]);
        vftrace_task_complete(at_once_tasks[i]);
        good();
    }
    return unused;
}

static volatile int by_handler;

static void handler(int number) {
    (void)number;
    const vftrace_task_id task = vftrace_task_create("in the handler", __FILE__, 1);
    vftrace_task_run(task);
    good();
    vftrace_task_complete(task);
    by_handler += task != 0;
}

static void be_interrupted(void) {
    const struct sigaction action = {.sa_handler = handler};
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &often, 0);
    for (int i = 0; i < 300000 || (by_handler < 20 && i < 100000000); i++) {
        const vftrace_task_id task = vftrace_task_create("interrupted", 0, 0);
        vftrace_task_run(task);
        vftrace_task_complete(task);
    }
    setitimer(ITIMER_REAL, &never, 0);
}

static void many(long number) {
    for (long i = 0; i < number; i++) {
        char type[32];
        snprintf(type, sizeof type, "request %ld", i);
        const vftrace_task_id task = vftrace_task_create(type, __FILE__, 2);
        vftrace_task_run(task);
        vftrace_task_complete(task);
        if (i % 1000 == 0)
            good();
    }
    /* The peak memory of this program in KiB, without that of the process that started it. */
    char line[128];
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6))
            printf("%ld\n", strtol(line + 6, 0, 10));
    fclose(status);
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "";
    good();
    if (!strcmp(way, "at once")) {
        pthread_t thread[threads];
        pthread_barrier_init(&barrier, NULL, threads);
        for (int i = 0; i < rounds; i++)
            at_once_tasks[i] = vftrace_task_create("at once", 0, 0);
        for (int i = 0; i < threads; i++)
            pthread_create(&thread[i], NULL, at_once, NULL);
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
        int live = 0;
        for (int i = 0; i < rounds; i++)
            live += vftrace_task_is_live(at_once_tasks[i]);
        printf("%d\n", live);
    } else if (!strcmp(way, "handler")) {
        be_interrupted();
        printf("%d\n", by_handler);
    } else if (!strcmp(way, "many")) {
        many(strtol(argv[2], 0, 10));
    } else if (!strcmp(way, "other run")) {
        const vftrace_task_id task = vftrace_task_create("of this run", 0, 0);
        printf("%llu\n", (unsigned long long)task);
        if (argc > 2) {
            const vftrace_task_id other = strtoull(argv[2], 0, 10);
            printf("%d\n", vftrace_task_is_live(other));
            do_all_to(other);
        }
        vftrace_task_complete(task);
    } else if (!strcmp(way, "never ended")) {
        vftrace_task_create("pending", 0, 0);
        const vftrace_task_id paused = vftrace_task_create("paused", 0, 0);
        vftrace_task_run(paused);
        vftrace_task_pause(paused);
        vftrace_task_run(vftrace_task_create("running", 0, 0));
    } else if (!strcmp(way, "ends of parent")) {
        const vftrace_task_id pending = vftrace_task_create("pending", 0, 0);
        const vftrace_task_id running = vftrace_task_create("running", 0, 0);
        vftrace_task_run(running);
        if (fork() == 0) {
            do_all_to(pending);
            do_all_to(running);
            good();
            return 0;
        }
        wait(NULL);
        vftrace_task_complete(running);
        vftrace_task_complete(pending);
    }
    good();
    return 0;
}
