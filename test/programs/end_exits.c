/* Ends that call no destructors, and ends from unusual places. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static void say(const char* text) {
    printf("%s\n", text);
    fflush(stdout);
}
static void at_quick(void) {
    work();
    say("at_quick_exit");
}
static void at_normal(void) { say("atexit"); }

__attribute__((noinline)) static void ends_nested(const char* how) {
    if (!strcmp(how, "_exit"))
        _exit(3);
    if (!strcmp(how, "_Exit"))
        _Exit(300); /* the parent gets 44 */
    if (!strcmp(how, "quick_exit"))
        quick_exit(5);
    if (!strcmp(how, "exit"))
        exit(6);
    if (!strcmp(how, "abort"))
        abort();
}
static void* thread(void* how) {
    work();
    ends_nested(how);
    return 0;
}
static const char* how_in_handler;
static void handler(int number) {
    (void)number;
    ends_nested(how_in_handler);
}

int main(int count, char** arguments) {
    const char *where = count > 1 ? arguments[1] : "", *how = count > 2 ? arguments[2] : "";
    atexit(at_normal);
    at_quick_exit(at_quick);
    for (int i = 0; i < 3; i++)
        work();
    say(where);
    if (!strcmp(where, "main"))
        ends_nested(how);
    if (!strcmp(where, "thread")) {
        pthread_t other;
        pthread_create(&other, 0, thread, (void*)how);
        for (;;)
            pause();
    }
    if (!strcmp(where, "handler")) {
        how_in_handler = how;
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
    }
    if (!strcmp(where, "vfork")) {
        int status;
        pid_t child = vfork();
        if (child == 0)
            _exit(9);
        waitpid(child, &status, 0);
        printf("child %x\n", status);
        work();
    }
    if (!strcmp(where, "fork")) {
        int status;
        pid_t child = fork();
        if (child == 0)
            ends_nested(how);
        waitpid(child, &status, 0);
        printf("child %x\n", status);
        work();
    }
    if (!strcmp(where, "last thread")) {
        pthread_t other;
        pthread_create(&other, 0, thread, "return");
        pthread_exit(0);
    }
    return 1;
}
