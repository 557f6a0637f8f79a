/* A small call tree with known counts: 3 x mid -> leaf twice, a direct recursion. */
#include <stdio.h>

static volatile int work;

__attribute__((noinline)) static void leaf(int amount) {
    for (int i = 0; i < amount; i++)
        work++;
}
__attribute__((noinline)) static void mid(void) {
    leaf(2000000);
    leaf(1000000);
}
__attribute__((noinline)) static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

int main(void) {
    for (int i = 0; i < 3; i++)
        mid();
    printf("%d\n", factorial(10));
    return 3;
}
