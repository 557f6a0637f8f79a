/* small() leaves by longjmp; its sibling big() has a larger frame and so a lower address. Address
   order alone would record big below small. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf back;

__attribute__((noinline)) static void deepest(void) { longjmp(back, 1); }
__attribute__((noinline)) static void small(void) { deepest(); }
__attribute__((noinline)) static int big(int n) {
    volatile char room[4096];
    memset((void*)room, n, sizeof room);
    return room[n];
}

int main(void) {
    int sum = 0;
    for (volatile int i = 0; i < 5; i++) {
        if (setjmp(back) == 0)
            small();
        else
            sum += big(i);
    }
    printf("%d\n", sum);
    return 0;
}
