/* main itself is not instrumented. */
#include <stdio.h>
__attribute__((noinline)) static void work(void) { puts("work"); }
__attribute__((no_instrument_function)) int main(void) {
    work();
    work();
    return 0;
}
