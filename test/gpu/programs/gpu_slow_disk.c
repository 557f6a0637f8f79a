/* Kernels while the trace can only be written slowly (gpu_slow_disk N), or only at the end
   (gpu_slow_disk N stuck). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "standin_cuda.h"

#define QUIET __attribute__((no_instrument_function))

static atomic_int disk_is_stuck;

/* The library's threads call this function instead of libc's. */
QUIET ssize_t pwritev64(int file, const struct iovec* parts, int count, off64_t offset) {
    usleep(3000);
    while (disk_is_stuck && gettid() != getpid())
        usleep(1000);
    ssize_t (*real)(int, const struct iovec*, int, off64_t) = dlsym(RTLD_NEXT, "pwritev64");
    return real(file, parts, count, offset);
}
QUIET ssize_t pwritev(int file, const struct iovec* parts, int count, off_t offset) {
    return pwritev64(file, parts, count, offset);
}

__global__ static void empty(void** arguments) { (void)arguments; }

QUIET int main(int argc, char** argv) {
    disk_is_stuck = argc > 2;
    standin_register(empty, "empty", 0, 100);
    for (long i = 0; i < atol(argv[1]); ++i)
        cudaLaunchKernel(empty, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
    if (disk_is_stuck)
        sleep(2); /* all records are delivered */
    disk_is_stuck = 0;
    return 0;
}
