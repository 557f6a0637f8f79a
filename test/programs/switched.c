/* Works on request, by a line with a number on stdin, deep in calls that are open all the time: for
   recording that is switched on and off from outside. An optional thread also has an open call, and
   makes short calls until the end. With "resume", vftrace_resume() is called before each line's
   work. With "region", all of the work is in a region. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <vftrace.h>

static volatile int over;
static int resumes;
static volatile long sum;

void work(int number) { sum += number; }

void tick(void) {
    struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
}

void keep_ticking(void) {
    while (!over)
        tick();
}

void* thread_main(void* unused) {
    keep_ticking();
    return unused;
}

int inner(void) {
    int count, all = 0;
    while (scanf("%d", &count) == 1) {
        if (resumes)
            vftrace_resume();
        for (int i = 0; i < count; i++)
            work(i);
        all += count;
        printf("%d\n", all);
        fflush(stdout);
    }
    return all;
}

int outer(void) { return inner() + 1; }

int main(int count, char** arguments) {
    pthread_t thread;
    const int has_thread = count > 1 && strcmp(arguments[1], "thread") == 0;
    resumes = count > 1 && strcmp(arguments[1], "resume") == 0;
    if (has_thread && pthread_create(&thread, NULL, thread_main, NULL) != 0)
        return 1;
    const int has_region = count > 1 && strcmp(arguments[1], "region") == 0;
    if (has_region)
        vftrace_region_begin("all of the work");
    int all = outer();
    if (has_region)
        vftrace_region_end("all of the work");
    over = 1;
    if (has_thread)
        pthread_join(thread, NULL);
    printf("%d lines of work\n", all - 1);
    return 0;
}
