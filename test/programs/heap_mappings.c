// Takes arrays from the kernel itself: 3 of 4 MiB, of which 1 is unmapped; 1 of 2 MiB that grows to
// 6 MiB; and mappings that are no arrays.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static
enum { mebibyte = 1 << 20 };

__attribute__((always_inline, no_instrument_function)) static inline void* anonymous(size_t bytes) {
    void* array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array == MAP_FAILED)
        exit(1);
    return array;
}

SITE void arrays(void) {
    char* array[3];
    for (int i = 0; i < 3; i++) {
        array[i] = anonymous(4 * mebibyte);
        array[i][0] = 1;
    }
    munmap(array[1], 4 * mebibyte);
}

SITE void grows(void) {
    char* array = anonymous(2 * mebibyte);
    array[1] = 2;
    array = mremap(array, 2 * mebibyte, 6 * mebibyte, MREMAP_MAYMOVE);
    if (array == MAP_FAILED || array[1] != 2)
        puts("wrong: mremap");
    if (mremap(array, 6 * mebibyte, (size_t)1 << 60, MREMAP_MAYMOVE) != MAP_FAILED)
        puts("wrong: too large");
}

SITE void no_arrays(void) {
    const int file = open("/proc/self/exe", O_RDONLY);
    mmap(NULL, 2 * mebibyte, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    void* reserved = mmap(NULL, 64 * mebibyte, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap(reserved, 8 * mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
    mmap(NULL, 2 * mebibyte, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1,
         0);
    if (munmap(reserved, 64 * mebibyte) != 0 || munmap((char*)1, 1) == 0)
        puts("wrong: munmap");
}

SITE void small(void) { anonymous(4096); }

// An allocator takes this from the kernel.
SITE void* by_malloc(void) { return malloc(40 * mebibyte); }

int main(void) {
    arrays();
    grows();
    no_arrays();
    small();
    free(by_malloc());
    puts("done");
    return 0;
}
