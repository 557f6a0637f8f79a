/* Fibers that never end: left in the middle, with their stacks freed and reused by the next ones;
 * and setcontext as a jump: into a fiber, and back to an earlier place of the same stack. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#define FUNCTION __attribute__((noinline)) static

enum { stack_bytes = 64 << 10, rounds = 20 };
static ucontext_t caller, fiber, place;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void leaves_for_ever(void) {
    leaf();
    setcontext(&caller);
}
FUNCTION void deep(int n) {
    if (n > 0)
        deep(n - 1);
    else
        leaves_for_ever();
}
FUNCTION void fiber_main(void) { deep(5); }
FUNCTION void run_fiber(void) {
    char* stack = malloc(stack_bytes);
    volatile int came_back = 0;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = stack_bytes;
    fiber.uc_link = NULL;
    makecontext(&fiber, fiber_main, 0);
    getcontext(&caller);
    if (!came_back) {
        came_back = 1;
        setcontext(&fiber);
    }
    leaf();
    free(stack);
}
FUNCTION void goes_back(int n) {
    if (n > 0)
        goes_back(n - 1);
    else
        setcontext(&place);
}
FUNCTION void repeats(void) {
    volatile int times = 0;
    getcontext(&place);
    leaf();
    if (times++ < 3)
        goes_back(4);
}

int main(void) {
    for (int i = 0; i < rounds; i++)
        run_fiber();
    repeats();
    leaf();
    puts("done");
    return 0;
}
