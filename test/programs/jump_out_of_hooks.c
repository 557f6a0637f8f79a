/* Interrupts hooks by a signal whose handler has hooks too, and may leave the interrupted one by a
 * jump: near the end of each piece of the trace's memory, one instruction later than the time
 * before. The processor executes them one by one. Prints how many calls were interrupted. For
 * x86-64. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE __attribute__((no_instrument_function, noinline))

static sigjmp_buf back;
static volatile long steps, limit, interrupted, sink;
static volatile int jumps;

__attribute__((noinline)) static void leaf(void) { sink++; }
__attribute__((noinline)) static void handler_leaf(void) { sink++; }

static void single_steps(int number) OUTSIDE;
static void single_steps(int number) {
    (void)number;
    if (++steps == limit) {
        interrupted++;
        handler_leaf();
        if (jumps)
            siglongjmp(back, 1);
    }
}

static void step_through_leaf(void) OUTSIDE;
static void step_through_leaf(void) {
    steps = 0;
    __asm__ volatile("sub $128, %%rsp; pushf; orl $0x100, (%%rsp); popf; add $128, %%rsp" ::
                         : "memory", "cc");
    leaf();
    __asm__ volatile("sub $128, %%rsp; pushf; andl $~0x100, (%%rsp); popf; add $128, %%rsp" ::
                         : "memory", "cc");
}

/* Arguments: words in a piece; instructions of a call that does not continue with a next piece; the
 * first and the last instruction after these that are interrupted; "jump" or "return". */
int main(int count, char** arguments) OUTSIDE;
int main(int count, char** arguments) {
    if (count != 6)
        return 1;
    const long words = atol(arguments[1]), usual = atol(arguments[2]);
    const long first = atol(arguments[3]), last = atol(arguments[4]);
    jumps = arguments[5][0] == 'j';
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = single_steps;
    sigaction(SIGTRAP, &action, 0);
    for (volatile long at = first; at <= last; at++) {
        limit = 0;
        for (long i = 0; i < words / 2 - 40; i++)
            leaf();
        limit = usual + at;
        volatile long tries = 0;
        if (sigsetjmp(back, 1) == 0) {
            while (tries++ < 100) {
                step_through_leaf();
                if (steps > usual)
                    break;
            }
        }
    }
    limit = 0;
    printf("%ld\n", interrupted);
    return 0;
}
