/* Performs the operations on tasks that its arguments specify, on a clock that it sets itself:
 *
 *   create:NAME:TYPE  run:NAME  pause:NAME  complete:NAME  fail:NAME  cancel:NAME
 *   take:SECONDS  in:SECTION  out:SECTION
 *   snapshot          of the figures of all types
 *   wait:SECONDS      by the real clock
 *   die               of signal 9
 *   thread            another thread does what follows, up to the next "thread"
 *   fork              a child does what follows, and then ends
 *   id:NAME:NUMBER    NAME is the task with this id */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "set_clock.h"
#include <vftrace/sections.h>
#include <vftrace/tasks.h>

static vftrace_task_id tasks[128]; /* by the first letter of their names */
static char** words;

static int is(const char* word, const char* verb) {
    const size_t length = strlen(verb);
    return strncmp(word, verb, length) == 0 && (word[length] == ':' || !word[length]);
}

static void* work(void* unused) {
    for (; *words && strcmp(*words, "thread") != 0 && strcmp(*words, "fork") != 0; words++) {
        const char* word = *words;
        const char* colon = strchr(word, ':');
        const char* object = colon ? colon + 1 : word;
        vftrace_task_id* task = &tasks[(unsigned char)object[0] % 128];
        if (is(word, "create"))
            *task = vftrace_task_create(object + 2, 0, 0);
        else if (is(word, "id"))
            *task = strtoull(object + 2, 0, 10);
        else if (is(word, "run"))
            vftrace_task_run(*task);
        else if (is(word, "pause"))
            vftrace_task_pause(*task);
        else if (is(word, "complete"))
            vftrace_task_complete(*task);
        else if (is(word, "fail"))
            vftrace_task_fail(*task);
        else if (is(word, "cancel"))
            vftrace_task_cancel(*task);
        else if (is(word, "take"))
            take(strtod(object, 0));
        else if (is(word, "snapshot"))
            vftrace_task_snapshot();
        else if (is(word, "wait"))
            usleep((useconds_t)(1e6 * strtod(object, 0)));
        else if (is(word, "die"))
            raise(SIGKILL);
        else if (is(word, "in"))
            vftrace_section_begin(vftrace_section_register(object, 1, 0, 0));
        else if (is(word, "out"))
            vftrace_section_end(vftrace_section_register(object, 1, 0, 0));
        else
            abort();
    }
    return unused;
}

int main(int argc, char** argv) {
    (void)argc;
    words = argv + 1;
    work(NULL);
    while (*words) {
        if (is(*words++, "fork")) {
            if (fork() == 0) {
                work(NULL);
                return 0;
            }
            wait(NULL);
            return 0;
        }
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    puts("done");
    return 0;
}
