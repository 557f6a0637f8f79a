/* Preloaded: makes memory run out, at a chosen request of this process or from there on.

   MEMORY_FAILS_AT  the number of the request that fails, from 1; if unset none does
   MEMORY_FAILS_FROM_THERE_ON  if set, all later ones fail too
   MEMORY_OF        "vftrace": only requests from libvftrace.so and its own libraries, so that a
                    program that needs memory itself can continue; otherwise all of the process
   MEMORY_FAILS_RANK  the rank of an MPI job in which they fail; if unset all
   MEMORY_COUNT     a file of 8 bytes in which this process counts its requests

   Requests are malloc, calloc, realloc, posix_memalign, aligned_alloc and mmap. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void*, size_t),
    *__libc_memalign(size_t, size_t);

static long at = -1, requests, *count = &requests;
static int from_there_on, only_vftrace;

/* By hand: getenv() cannot be used yet when the dynamic linker asks for memory. */
static const char* variable(const char* name) {
    size_t length = strlen(name);
    for (char** entry = environ; entry && *entry; entry++)
        if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
            return *entry + length + 1;
    return 0;
}

static void read_settings(void) {
    if (at >= 0 || !environ)
        return;
    const char* number = variable("MEMORY_FAILS_AT");
    const char* of = variable("MEMORY_OF");
    at = number ? atol(number) : 0;
    const char *wanted = variable("MEMORY_FAILS_RANK"), *rank = variable("OMPI_COMM_WORLD_RANK");
    if (!rank)
        rank = variable("PMI_RANK");
    const int other = wanted && (!rank || strcmp(rank, wanted));
    if (other)
        at = 0;
    from_there_on = variable("MEMORY_FAILS_FROM_THERE_ON") != 0;
    only_vftrace = of && !strcmp(of, "vftrace");
    const char* path = variable("MEMORY_COUNT");
    long file = path && !other ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        long memory =
            syscall(SYS_mmap, 0, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
        if (memory > 0)
            count = (long*)memory;
        syscall(SYS_close, file);
    }
}

static int comes_from_vftrace(const void* caller) {
    struct dl_find_object found;
    if (_dl_find_object((void*)caller, &found) != 0)
        return 0;
    const char* name = strrchr(found.dlfo_link_map->l_name, '/');
    return name && (!strncmp(name, "/libvftrace", 11) || !strncmp(name, "/libelf", 7) ||
                    !strncmp(name, "/libdw", 6));
}

static int fails(const void* caller) {
    read_settings();
    if (only_vftrace && !comes_from_vftrace(caller))
        return 0;
    long number = __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    if (at <= 0 || (from_there_on ? number < at : number != at))
        return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)

void* malloc(size_t bytes) { return fails(CALLER) ? 0 : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails(CALLER) ? 0 : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return fails(CALLER) ? 0 : __libc_realloc(old, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) {
    return fails(CALLER) ? 0 : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
    void* memory = fails(CALLER) ? 0 : __libc_memalign(alignment, bytes);
    if (!memory)
        return ENOMEM;
    *result = memory;
    return 0;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (fails(CALLER))
        return MAP_FAILED;
    return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}
void* mmap64(void*, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
