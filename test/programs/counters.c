/* Work for hardware counters: pages touched for the first time cause the number of page faults in
   the argument; calls that are nested, repeated, recursive, and left by longjmp. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vftrace.h"

__attribute__((no_instrument_function)) static void touch(int pages) {
    size_t bytes = (size_t)pages * 4096;
    char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < pages; i++)
        memory[(size_t)i * 4096] = 1;
    munmap(memory, bytes);
}

void leaf(int pages) { touch(pages); }

void twice(int pages) {
    leaf(pages);
    leaf(pages);
}

void recurse(int depth) {
    if (depth > 0)
        recurse(depth - 1);
    else
        leaf(1);
}

static jmp_buf back;
void jumps_out(void) { longjmp(back, 1); }

void* thread(void* pages) {
    twice(*(int*)pages);
    return NULL;
}

__attribute__((no_instrument_function)) static void wait_for_ever(int* pipe_end) {
    char byte;
    while (read(*pipe_end, &byte, 1) != 0)
        ;
}

void* blocked(void* argument) {
    leaf(50);
    wait_for_ever(argument);
    return NULL;
}

int main(int argc, char** argv) {
    int pages = argc > 1 ? atoi(argv[1]) : 10;
    const char* what = argc > 2 ? argv[2] : "calls";
    if (strcmp(what, "close") == 0) {
        twice(pages);
        for (int i = 3; i < 4096; i++)
            close(i);
        int own = dup(0); /* may take a descriptor that was ours */
        for (int i = 4; i < 1100; i++)
            dup2(own, i);
        twice(pages);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t made[3];
        for (int i = 0; i < 3; i++)
            pthread_create(&made[i], NULL, thread, &pages);
        for (int i = 0; i < 3; i++)
            pthread_join(made[i], NULL);
    } else if (strcmp(what, "blocked") == 0) {
        int ends[2];
        pthread_t made;
        if (pipe(ends) != 0)
            return 1;
        pthread_create(&made, NULL, blocked, &ends[0]);
        usleep(100000);
    } else if (strcmp(what, "pause") == 0) {
        twice(pages);
        vftrace_pause();
        twice(1000);
        vftrace_resume();
        leaf(pages);
    } else if (strcmp(what, "exit") == 0) {
        twice(pages);
        _exit(0);
    } else {
        twice(pages);
        vftrace_region_begin("region");
        leaf(pages);
        vftrace_region_end("region");
        recurse(5);
        if (setjmp(back) == 0)
            jumps_out();
    }
    puts("done");
    return 0;
}
