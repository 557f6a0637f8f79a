/* For a while there is no memory for new paths; later events are recorded correctly again. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define SEEN __attribute__((noinline))
static volatile long sink;

static void f0(unsigned long, int), f1(unsigned long, int);
static void (*const functions[])(unsigned long, int) = {f0, f1};
#define FUNCTION(name)                                                                             \
    SEEN static void name(unsigned long random, int depth) {                                       \
        sink++;                                                                                    \
        if (depth)                                                                                 \
            functions[random & 1](random >> 1, depth - 1);                                         \
        sink++;                                                                                    \
    }
FUNCTION(f0)
FUNCTION(f1)
SEEN static void leaf(void) { sink++; }
SEEN static void late(void) {
    leaf();
    leaf();
}
SEEN static void batch(unsigned long from, unsigned long to) {
    for (; from < to; from++)
        functions[from & 1](from * 0x9e3779b97f4a7c15ul >> 20, 14);
}
int main(int count, char** arguments) {
    (void)count;
    unsigned long paths = strtoul(arguments[1], 0, 10);
    batch(0, paths);
    struct rlimit limit, none;
    getrlimit(RLIMIT_AS, &limit);
    none = limit;
    none.rlim_cur = 4096;
    setrlimit(RLIMIT_AS, &none);
    batch(paths, paths + 3000);
    setrlimit(RLIMIT_AS, &limit);
    late();
    puts("done");
    return 0;
}
