/* Makes the kernel work in system calls of several functions, for 0.4 s of processor time or the
 * time in the argument each, and computes for as long in another. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spin.h"

static char block[1 << 20];
static int zero;

static double used(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void takes(char* to, size_t bytes) {
    ssize_t got = read(zero, to, bytes);
    if (got != (ssize_t)bytes) {
        printf("read: %zd, %s\n", got, strerror(errno));
        exit(1);
    }
}

/* This code hardly ever leaves the kernel. */
__attribute__((noinline)) void reads_blocks(double seconds) {
    for (double end = used() + seconds; used() < end;)
        for (int i = 0; i < 100; i++)
            takes(block, sizeof block);
}

/* The frame of its caller is far away from the stack pointer. */
__attribute__((noinline)) void reads_into_frame(double seconds) {
    char text[100000];
    for (double end = used() + seconds; used() < end;)
        for (int i = 0; i < 100; i++)
            takes(text, sizeof text);
    sink = text[1];
}

/* Enters and leaves the kernel all the time. */
__attribute__((noinline)) void asks(double seconds) {
    for (double end = used() + seconds; used() < end;)
        for (int i = 0; i < 10000; i++)
            syscall(SYS_getppid);
}

__attribute__((noinline)) void one_part(double seconds) {
    asks(seconds / 2);
    sink = seconds;
}

__attribute__((noinline)) void other_part(double seconds) {
    asks(seconds / 2);
    sink = 2 * seconds;
}

int main(int count, char** arguments) {
    const double seconds = count > 1 ? atof(arguments[1]) : 0.4;
    zero = open("/dev/zero", O_RDONLY);
    reads_blocks(seconds);
    reads_into_frame(seconds);
    for (int i = 0; i < 50; i++) {
        one_part(seconds / 50);
        other_part(seconds / 50);
    }
    spin(seconds);
    puts("done");
    return 0;
}
