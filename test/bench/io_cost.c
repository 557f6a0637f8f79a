/* Prints how many ns a call takes in the fastest of ten parts: pread of 1 byte, fwrite of 8 bytes,
 * fputc. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double preads(int file, int calls) {
    char byte;
    const double start = now();
    for (int i = 0; i < calls; i++)
        if (pread(file, &byte, 1, i & 4095) < 0)
            return 0;
    return (now() - start) / calls;
}

static double fwrites(FILE* file, int calls) {
    const double start = now();
    for (int i = 0; i < calls; i++)
        fwrite("12345678", 8, 1, file);
    return (now() - start) / calls;
}

static double fputcs(FILE* file, int calls) {
    const double start = now();
    for (int i = 0; i < calls; i++)
        fputc(i, file);
    return (now() - start) / calls;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int argc, char** argv) {
    const int file = open(argv[0], O_RDONLY);
    FILE* stream = fopen("/dev/null", "w");
    if (file < 0 || !stream || argc != 1)
        return 1;
    setvbuf(stream, NULL, _IOFBF, 1 << 16);
    double read = 1e9, block = 1e9, character = 1e9;
    for (int part = 0; part < 10; part++) {
        read = least(read, preads(file, 50000));
        block = least(block, fwrites(stream, 500000));
        character = least(character, fputcs(stream, 500000));
    }
    printf("%.3f %.3f %.3f\n", read, block, character);
    return 0;
}
