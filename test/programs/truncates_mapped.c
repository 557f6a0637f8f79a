/* To be preloaded: a file whose name contains the contents of the variable TRUNCATED is truncated
 * as soon as it is mapped, as its owner could do it at any moment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    void* result = (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
    const char* wanted = getenv("TRUNCATED");
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = file >= 0 && wanted ? readlink(link, name, sizeof name - 1) : -1;
    if (length > 0) {
        name[length] = '\0';
        if (strstr(name, wanted) && truncate(name, 0) != 0)
            perror(name);
    }
    return result;
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    return mmap(address, bytes, protection, flags, file, offset);
}
