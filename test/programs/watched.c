/* Runs until its standard input ends, so that it can be watched. One thread works in short calls,
   one is in a long call, one in the innermost call of a recursion. "exec": becomes cat at the first
   byte; "fork": has a child that does the same. */
#define _GNU_SOURCE
#include "vftrace.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

static volatile int over, waiting, descended;

FUNCTION int leaf(int x) { return x * 31 + 7; }
FUNCTION int step(int x) {
    for (int i = 0; i < 1000; i++)
        x = leaf(x);
    return x;
}
FUNCTION int solve(int rounds) {
    int x = 1;
    while (!over && (rounds < 0 || rounds-- > 0)) {
        x = step(x);
        usleep(1000);
    }
    return x;
}
FUNCTION void wait_for_the_end(void) {
    waiting = 1;
    while (!over)
        usleep(10000);
}
FUNCTION void* reader(void* unused) {
    vftrace_region_begin("r\xc3\xa9sum\xc3\xa9 of \xe7\xbd\x91\xe6\xa0\xbc");
    wait_for_the_end();
    vftrace_region_end("r\xc3\xa9sum\xc3\xa9 of \xe7\xbd\x91\xe6\xa0\xbc");
    return unused;
}
FUNCTION int descend(int depth) {
    if (depth == 0) {
        descended = 1;
        while (!over)
            usleep(10000);
        return 0;
    }
    return descend(depth - 1) + 1;
}
FUNCTION void* climber(void* unused) {
    descend(5);
    return unused;
}

int main(int argc, char** argv) {
    pthread_t threads[2];
    const pid_t own = getpid();
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_setname_np(threads[0], "reader-1");
    pthread_create(&threads[1], NULL, climber, NULL);
    pthread_setname_np(threads[1], "climber-2");
    while (!waiting || !descended)
        usleep(1000);
    printf("%d\n", solve(20) != 0);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "exec") == 0) {
        char byte;
        if (read(0, &byte, 1) >= 0)
            execl("/bin/cat", "cat", (char*)NULL);
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "fork") == 0)
        fork();
    struct pollfd input = {0, POLLIN, 0};
    do
        solve(20);
    while (poll(&input, 1, 0) == 0);
    over = 1;
    if (getpid() == own) {
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        puts("done");
    }
    return 0;
}
