/* even and odd call each other 100,000 deep; folded levels must not count time twice. */
#include <stdio.h>

static volatile int work;

__attribute__((noinline)) static void spin(void) {
    for (int i = 0; i < 200; i++)
        work++;
}
__attribute__((noinline)) static int odd(int n);
__attribute__((noinline)) static int even(int n) {
    spin();
    return n == 0 ? 1 : odd(n - 1) + 0 * work;
}
static int odd(int n) { return n == 0 ? 0 : even(n - 1) + 0 * work; }

int main(void) {
    printf("%d\n", even(50000));
    printf("%d\n", even(3));
    spin();
    return 0;
}
