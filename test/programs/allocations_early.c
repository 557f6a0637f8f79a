/* A library to be preloaded: a dlsym that needs memory itself. Until the allocator is known it gets
   early memory, which it resizes and frees later. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, MOST = 60 };
static char* blocks[MOST];
static int count;
static void* (*real_dlsym)(void*, const char*);

static void* allocate(int kind) {
    void* block = NULL;
    switch (kind) {
    case 0:
        return malloc(20);
    case 1:
        return calloc(4, 5);
    case 2:
        return realloc(malloc(3), 20);
    case 3:
        return memalign(64, 20);
    case 4:
        return aligned_alloc(128, 20);
    default:
        return posix_memalign(&block, 256, 20) == 0 ? block : NULL;
    }
}

void* dlsym(void* restrict library, const char* restrict name) {
    if (!real_dlsym) {
        *(void**)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        for (; count < KINDS; count++) {
            blocks[count] = allocate(count);
            strcpy(blocks[count], "kept");
        }
        if (malloc(1 << 20) || calloc(1 << 20, 1 << 10))
            puts("there is more early memory than there can be");
        free(malloc(10));
    }
    return real_dlsym(library, name); /* a jump, because dlsym depends on its caller */
}

__attribute__((destructor)) static void change_and_free(void) {
    int early = 0;
    for (int i = 0; i < count; i++) {
        Dl_info place;
        early += dladdr(blocks[i], &place) != 0;
        uintptr_t alignment = i < 3 ? 16 : (uintptr_t)(64 << (i - 3));
        if ((uintptr_t)blocks[i] % alignment != 0)
            printf("block %d is not aligned\n", i);
        if (i % 2 == 0)
            blocks[i] = realloc(blocks[i], 5000);
        if (strcmp(blocks[i], "kept") != 0)
            printf("block %d was lost\n", i);
        free(blocks[i]);
    }
    printf("%d early blocks\n", early);
    fflush(stdout);
}
