/* Touches new memory in one function, reads the clock in another, and spends time in the kernel in
 * a third. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spin.h"

enum { pages = 10000, page = 4096 };

__attribute__((noinline)) void touches(char* memory) {
    for (long i = 0; i < pages; i++)
        memory[i * page] = (char)i;
}

__attribute__((noinline)) void touches_again(char* memory) {
    for (int round = 0; round < 300; round++)
        for (long i = 0; i < pages; i++)
            memory[i * page + round] += (char)i;
}

__attribute__((noinline)) void reads_clock(void) {
    struct timespec now;
    for (int i = 0; i < 1000000; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    sink = (double)now.tv_nsec;
}

__attribute__((noinline)) void calls_kernel(void) {
    char text[65536];
    int file = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 20000; i++)
        if (read(file, text, sizeof text) != sizeof text)
            return;
    close(file);
    sink = text[0];
}

int main(void) {
    char* memory = mmap(NULL, (size_t)pages * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, (size_t)pages * page, MADV_NOHUGEPAGE);
    touches(memory);
    touches_again(memory);
    reads_clock();
    calls_kernel();
    puts("done");
    return 0;
}
