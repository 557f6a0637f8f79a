/* A generator on a stack of its own: resumed by one function, then by another at another depth,
 * finished by returning (uc_link), then started again on the same stack. */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#define FUNCTION __attribute__((noinline)) static

enum { stack_bytes = 128 << 10 };
static ucontext_t caller, fiber;
static int value;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void yield_value(int n) {
    value = n;
    swapcontext(&fiber, &caller);
}
FUNCTION void produce(int n) {
    leaf();
    yield_value(n);
    leaf();
}
FUNCTION void generator(void) {
    for (int i = 1; i <= 6; i++)
        produce(i);
    value = 0;
}
FUNCTION int resume(void) {
    swapcontext(&caller, &fiber);
    leaf();
    return value;
}
FUNCTION int resume_deeper(int n) {
    int result = n > 0 ? resume_deeper(n - 1) : resume();
    leaf();
    return result;
}

int main(void) {
    int sum = 0;
    char* stack = malloc(stack_bytes);
    for (volatile int i = 0; i < 2; i++) {
        getcontext(&fiber);
        fiber.uc_stack.ss_sp = stack;
        fiber.uc_stack.ss_size = stack_bytes;
        fiber.uc_link = &caller;
        makecontext(&fiber, generator, 0);
        for (int k = 0; k < 3; k++)
            sum += resume();
        for (int k = 0; k < 4; k++) /* the last call reaches the end */
            sum += resume_deeper(2);
        leaf();
    }
    free(stack);
    printf("%d\n", sum);
    return 0;
}
