/* One million levels of direct recursion, on a stack of sufficient size. */
#include <stdio.h>

__attribute__((noinline)) static long down(long n) {
    volatile long here = n;
    return n == 0 ? 0 : down(n - 1) + (here == n);
}
__attribute__((noinline)) static long after(long n) { return n + 1; }

int main(void) {
    printf("%ld\n", after(down(1000000)));
    return 0;
}
