/* Uses resources that the operating system counts: argv[1] says which.
 *   sync SECONDS FILE     writes small pieces, each of which must reach the storage device
 *   touch MEBIBYTES       touches this amount of new memory, 64 MiB at a time
 *   spin THREADS SECONDS  works in threads
 *   read CALLS            reads single bytes, a known number of times
 * Ends by itself; with a further argument "wait" it then prints a line and waits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double end;

void sync_often(const char* name) {
    char block[4096] = {1};
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    while (now() < end && write(file, block, sizeof block) == sizeof block)
        fdatasync(file);
    close(file);
}

void touch(long mebibytes) {
    const size_t bytes = 64L << 20;
    for (long i = 0; i < mebibytes; i += 64) {
        char* memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise(memory, bytes, MADV_NOHUGEPAGE);
        for (size_t at = 0; at < bytes; at += 4096)
            memory[at] = 1;
        munmap(memory, bytes);
    }
}

void* spin(void* unused) {
    while (now() < end) {
    }
    return unused;
}

void read_bytes(long calls) {
    char byte;
    int file = open("/dev/zero", O_RDONLY);
    for (long i = 0; i < calls; i++)
        if (read(file, &byte, 1) != 1)
            abort();
    close(file);
}

int main(int argc, char** argv) {
    const char* what = argv[1];
    if (strcmp(what, "sync") == 0) {
        end = now() + atof(argv[2]);
        sync_often(argv[3]);
    } else if (strcmp(what, "touch") == 0) {
        touch(atol(argv[2]));
    } else if (strcmp(what, "spin") == 0) {
        pthread_t threads[64];
        const int count = atoi(argv[2]);
        end = now() + atof(argv[3]);
        for (int i = 0; i < count; i++)
            pthread_create(&threads[i], NULL, spin, NULL);
        for (int i = 0; i < count; i++)
            pthread_join(threads[i], NULL);
    } else if (strcmp(what, "read") == 0) {
        read_bytes(atol(argv[2]));
    }
    if (strcmp(argv[argc - 1], "wait") == 0) {
        puts("waiting");
        fflush(stdout);
        pause();
    }
    return 0;
}
