/* An instrumented signal handler, on a stack of its own, interrupts instrumented code thousands of
 * times; some handlers leave by siglongjmp. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t signals, sink;
static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

__attribute__((noinline)) static void handler_leaf(void) { sink++; }
__attribute__((noinline)) static void handler(int number) {
    (void)number;
    signals++;
    handler_leaf();
    if (may_jump && signals % 7 == 0)
        siglongjmp(back, 1);
}
__attribute__((noinline)) static int leaf(int n) { return n + 1; }
__attribute__((noinline)) static int tree(int n) {
    return n == 0 ? leaf(1) : tree(n - 1) + leaf(n);
}

int main(int count, char** arguments) {
    (void)arguments;
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = count > 1 ? SA_ONSTACK : 0;
    sigaction(SIGALRM, &action, 0);
    struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, 0);
    for (volatile int round = 0; signals < 2000; round++) {
        if (sigsetjmp(back, 1) == 0) {
            may_jump = 1;
            sink += tree(20);
        }
        may_jump = 0;
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, 0);
    leaf(1);
    puts("done");
    return 0;
}
