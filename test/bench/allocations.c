// Nanoseconds per pair of malloc and free: prints "SHAPE NS" for each shape.
//
//   small, kilobyte  a block is freed before the next one is allocated
//   large            the same with 100 KB, for which the C library does not keep a list
//   mixed            one of 200 blocks of up to 1 KB is replaced by another one
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 100000, BLOCKS = 200, WARM = 1000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// Hides from the compiler that the block is unused.
static void* used(void* block) {
    __asm__ volatile("" : "+r"(block) : : "memory");
    return block;
}

static double same_size(size_t size) {
    double start = 0;
    for (int i = -WARM; i < PAIRS; i++) {
        if (i == 0)
            start = now();
        free(used(malloc(size)));
    }
    return (now() - start) / PAIRS;
}

static double mixed(void) {
    static void* blocks[BLOCKS];
    uint32_t random = 1;
    double start = 0;
    for (int i = -50 * BLOCKS; i < PAIRS; i++) {
        if (i == 0)
            start = now();
        random = random * 1664525 + 1013904223;
        void** place = &blocks[(random >> 8) % BLOCKS];
        free(*place);
        *place = used(malloc(1 + (random >> 22)));
    }
    return (now() - start) / PAIRS;
}

int main(void) {
    printf("small %.3f\n", same_size(32));
    printf("kilobyte %.3f\n", same_size(1000));
    printf("large %.3f\n", same_size(100000));
    printf("mixed %.3f\n", mixed());
    return 0;
}
