/* Three million calls that do next to nothing, in two functions that call each other: the cost of
   their hooks is several times their own time. */
#include <stdio.h>

#define KEPT __attribute__((noinline))

KEPT static int leaf(int x) {
    volatile int y = x;
    return y + 1;
}
KEPT static int ten_leaves(int x) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += leaf(x + i);
    return sum;
}
KEPT static int node(int depth);
KEPT static int children(int depth) { return node(depth - 1) + node(depth - 1); }
KEPT static int node(int depth) {
    return depth > 0 ? children(depth) + ten_leaves(depth) : leaf(depth);
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 60; i++)
        sum += node(12);
    printf("%d\n", sum);
    return 0;
}
