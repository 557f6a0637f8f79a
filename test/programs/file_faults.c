/* Half a second of work, and output or questions about files in one of these ways: small, opens,
   metadata, each for about a second, or fine: large calls, in one file that stays
   open. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { calls = 600000, opens = 60000 };

static volatile double result;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(void) {
    const double end = seconds() + 0.5;
    while (seconds() < end)
        for (int i = 1; i < 10000; i++)
            result += 1.0 / i;
}

static void write_small(void) {
    const int file = open("output", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < calls; i++)
        if (write(file, "x", 1) != 1)
            exit(1);
    close(file);
}

static void open_often(void) {
    const double end = seconds() + 1;
    for (int i = 0; i < opens || seconds() < end; i++) {
        const int file = open("output", O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (write(file, "x", 1) != 1)
            exit(1);
        close(file);
    }
}

static void ask(void) {
    struct stat status;
    const double end = seconds() + 0.5;
    for (int i = 0; i < calls || seconds() < end; i++)
        if (stat(".", &status) != 0)
            exit(1);
}

static void write_large(void) {
    static char block[1 << 16];
    const int file = open("output", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < calls / (int)sizeof block + 1; i++)
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            exit(1);
    close(file);
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "fine";
    work();
    if (strcmp(way, "small") == 0)
        write_small();
    else if (strcmp(way, "opens") == 0)
        open_often();
    else if (strcmp(way, "metadata") == 0)
        ask();
    else
        write_large();
    puts("done");
    return 0;
}
