/* A timer's instrumented handler interrupts the creation of paths, the growth of the table and the
   start and end of regions; "jump" makes it leave by siglongjmp every time. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <vftrace.h>

#define SEEN __attribute__((noinline))

static volatile sig_atomic_t handled, sink, jumps;
static sigjmp_buf back;

SEEN static void in_handler(void) { sink++; }
SEEN static void handler(int number) {
    (void)number;
    handled++;
    in_handler();
    if (jumps)
        siglongjmp(back, 1);
}
SEEN static void work(void) { sink++; }

/* Four functions that call each other in an order that never repeats: a new path every time. */
static void f0(unsigned long, int), f1(unsigned long, int), f2(unsigned long, int),
    f3(unsigned long, int);
static void (*const functions[])(unsigned long, int) = {f0, f1, f2, f3};
#define FUNCTION(name)                                                                             \
    SEEN static void name(unsigned long random, int depth) {                                       \
        sink++;                                                                                    \
        if (depth)                                                                                 \
            functions[random & 3](random >> 2, depth - 1);                                         \
        sink++;                                                                                    \
    }
FUNCTION(f0)
FUNCTION(f1)
FUNCTION(f2)
FUNCTION(f3)

int main(int count, char** arguments) {
    (void)arguments;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, 0);
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, 0);
    for (volatile unsigned long i = 0; i < 60000; i++) {
        unsigned long random = i * 0x9e3779b97f4a7c15ul;
        if (sigsetjmp(back, 1) == 0) {
            jumps = count > 1;
            functions[random >> 60 & 3](random >> 20, 12);
        }
        jumps = 0;
    }
    for (int i = 0; i < 1000000; i++) {
        vftrace_region_begin("region");
        work();
        vftrace_region_end("region");
    }
    setitimer(ITIMER_REAL, &never, 0);
    work();
    return handled == 0;
}
