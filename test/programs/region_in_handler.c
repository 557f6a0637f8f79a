/* A signal handler on a separate stack leaves a region open; the next handler must not find it. */
#include <signal.h>
#include <stdlib.h>
#include <vftrace.h>

static int signals;
static volatile int sink;
__attribute__((noinline)) static void inner(void) { sink++; }
__attribute__((noinline)) static void handler(int number) {
    (void)number;
    if (signals++ == 0)
        vftrace_region_begin("left open");
    inner();
}
__attribute__((noinline)) static void first(void) { raise(SIGUSR1); }
__attribute__((noinline)) static void second(void) { raise(SIGUSR1); }
int main(void) {
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, 0);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    first();
    second();
    return 0;
}
