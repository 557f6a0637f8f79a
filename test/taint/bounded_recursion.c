/* Recursion whose depth a parameter decides, and one whose depth it does not. */
#include "parameter.h"
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static void halve(int low, int high) {
    if (high - low < 2) {
        work();
        return;
    }
    const int middle = (low + high) / 2;
    halve(low, middle);
    halve(middle, high);
}
static volatile int levels = 3;
__attribute__((noinline)) static void fixed(int depth) {
    work();
    if (depth > 0)
        fixed(depth - 1);
}
int main(void) {
    int n = 7;
    PARAMETER(n);
    halve(0, n);
    fixed(levels);
    return fib(n) != 13;
}
