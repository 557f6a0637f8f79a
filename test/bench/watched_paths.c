/* Creates a number of call paths, prints "ready", and then sleeps, with occasional calls. On
   SIGUSR1 it works for about one and a half seconds and prints the processor time of each hundredth
   of that. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

static volatile sig_atomic_t wanted;
static volatile unsigned sink;
static void want(int number) { wanted = number; }

#define ELEVEN(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#define DECLARE(i) FUNCTION void branch##i(unsigned path, int depth);
ELEVEN(DECLARE)
static void (*const branches[11])(unsigned, int) = {branch0, branch1, branch2, branch3,
                                                    branch4, branch5, branch6, branch7,
                                                    branch8, branch9, branch10};
/* Each digit of the path's number is one of the ten other functions. */
#define DEFINE(i)                                                                                  \
    FUNCTION void branch##i(unsigned path, int depth) {                                            \
        sink += path;                                                                              \
        if (depth > 1)                                                                             \
            branches[(i + 1 + path % 10) % 11](path / 10, depth - 1);                              \
    }
ELEVEN(DEFINE)

FUNCTION void go_through(unsigned from, unsigned paths) {
    for (unsigned path = from; path < paths; path++)
        branches[path % 10](path / 10, 4);
}

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    const unsigned paths = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
    const long rounds = argc > 2 ? atol(argv[2]) : 1;
    struct sigaction action = {.sa_handler = want};
    sigaction(SIGUSR1, &action, NULL);
    go_through(0, paths);
    puts("ready");
    fflush(stdout);
    for (long round = 0; round < rounds; round++) {
        usleep(50000);
        go_through((unsigned)(round * 100) % paths, (unsigned)(round * 100) % paths + 100);
        if (wanted) {
            wanted = 0;
            for (int part = 0; part < 100; part++) {
                const double start = processor_seconds();
                for (int i = 0; i < 15; i++)
                    go_through(0, paths);
                printf("%.6f ", processor_seconds() - start);
            }
            puts("");
            fflush(stdout);
        }
    }
    return 0;
}
