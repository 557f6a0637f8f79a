/* Fibers with unannounced stacks: entered by a signal handler's siglongjmp (as in old coroutine
 * libraries) and switched with _setjmp and _longjmp. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static

enum { stack_bytes = 4 << 20, fibers = 2, rounds = 5 };
static sigjmp_buf scheduler, fiber[fibers];
static volatile int current, alive;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void yield(void) {
    if (_setjmp(fiber[current]) == 0)
        _longjmp(scheduler, 1);
}
FUNCTION void task(void) {
    for (int i = 0; i < rounds; i++) {
        leaf();
        yield();
    }
    alive--;
    _longjmp(scheduler, 1);
}
/* On the new stack: _setjmp first returns to the kernel; its second return starts the fiber. */
__attribute__((no_instrument_function)) static void trampoline(int number) {
    (void)number;
    if (_setjmp(fiber[current]) == 0)
        return;
    task();
}
FUNCTION void make_fiber(int number) {
    stack_t stack = {.ss_sp = malloc(stack_bytes), .ss_size = stack_bytes};
    stack_t none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = trampoline, .sa_flags = SA_ONSTACK};
    current = number;
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaltstack(&none, NULL);
    alive++;
}
FUNCTION void dispatch(int number) {
    current = number;
    if (_setjmp(scheduler) == 0)
        _longjmp(fiber[number], 1);
}

int main(void) {
    for (int i = 0; i < fibers; i++)
        make_fiber(i);
    for (int i = 0; alive > 0; i++) {
        dispatch(i % fibers);
        leaf();
    }
    puts("done");
    return 0;
}
