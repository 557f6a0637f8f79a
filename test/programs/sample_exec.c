/* Computes, fails to execute a file, computes again, and continues as another program, while a
 * thread computes all the time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spin.h"

__attribute__((noinline)) void before(void) {
    spin(0.05);
    sink += 1.0; /* so that the call is not a jump */
}

__attribute__((noinline)) void after(void) {
    spin(0.05);
    sink += 2.0;
}

static void* spin_for_ever(void* unused) {
    for (;;)
        spin(0.05);
    return unused;
}

int main(void) {
    char name[] = "no-program-XXXXXX";
    char* nothing[] = {name, NULL};
    pthread_t thread;
    int file = mkstemp(name);
    if (write(file, "\177", 1) != 1)
        return 1;
    fchmod(file, 0755);
    close(file);
    pthread_create(&thread, NULL, spin_for_ever, NULL);
    before();
    execv(name, nothing);
    unlink(name);
    puts("still here");
    fflush(stdout);
    after();
    execl("/bin/echo", "echo", "next program", (char*)NULL);
    return 1;
}
