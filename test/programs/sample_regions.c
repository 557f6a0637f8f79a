/* Regions of the API in a sampled program: they have their callers, and functions called in them
   are below. There are no samples in pauses. Prints the call path that the library returns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vftrace.h"

static volatile double sink;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

__attribute__((noinline)) void in_pause(void) {
    spin(50000000);
    sink = 1;
}

__attribute__((noinline)) void in_region(void) {
    spin(50000000);
    sink = 2;
}

__attribute__((noinline)) void has_region(void) {
    vftrace_region_begin("part");
    in_region();
    vftrace_region_end("part");
    spin(20000000);
    sink = 3;
}

__attribute__((noinline)) void in_child(void) {
    spin(50000000);
    sink = 4;
}

int main(void) {
    has_region();
    vftrace_pause();
    in_pause();
    vftrace_resume();
    has_region();
    if (fork() == 0) {
        in_child();
        exit(5);
    }
    int status;
    wait(&status);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
