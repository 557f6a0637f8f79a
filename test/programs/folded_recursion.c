/* A tree that two functions walk in turns: DEPTH levels of each, repeated as the second argument
   says. Each node also calls leaves, which are not recursive. */
#include <stdio.h>
#include <stdlib.h>
#define NOT_INLINED __attribute__((noinline))

NOT_INLINED static int leaf(int x) {
    volatile int y = x;
    return y + 1;
}
NOT_INLINED static int leaves(int x) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += leaf(x + i);
    return sum;
}
NOT_INLINED static int node(int depth);
NOT_INLINED static int children(int depth) {
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += node(depth - 1);
    return sum;
}
NOT_INLINED static int node(int depth) {
    return depth > 1 ? children(depth) + leaves(depth) : leaf(depth);
}

int main(int count, char** arguments) {
    const int depth = count > 1 ? atoi(arguments[1]) : 12;
    int sum = 0;
    for (int i = count > 2 ? atoi(arguments[2]) : 1; i > 0; i--)
        sum += node(depth);
    printf("%d\n", sum);
    return 0;
}
