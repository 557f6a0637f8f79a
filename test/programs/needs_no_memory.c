/* Calls, regions and threads of a program that does not allocate memory itself. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vftrace.h>

static volatile long sink;

__attribute__((noinline)) static void leaf(void) {
    for (int i = 0; i < 100; i++)
        sink += i;
}
__attribute__((noinline)) static void deep(int levels) {
    leaf();
    if (levels > 0)
        deep(levels - 1);
}
__attribute__((noinline)) static void work(void) {
    for (int i = 0; i < 20; i++)
        deep(i);
}
static void* thread(void* argument) {
    work();
    return argument;
}
static void say(const char* text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

int main(int count, char** arguments) {
    (void)arguments;
    vftrace_region_begin("a region");
    work();
    vftrace_region_end("a region");
    say("worked\n");
    if (count > 1) { /* with any argument: a thread, for which libc needs memory */
        pthread_t other;
        int error = pthread_create(&other, 0, thread, 0);
        if (error == 0)
            pthread_join(other, 0);
        say(error == 0 ? "joined\n" : "no thread\n");
    }
    vftrace_pause();
    work();
    vftrace_resume();
    say("done\n");
    return 3;
}
