/* Recursive functions: stacks end where a function was first entered. */
#include "parameter.h"
static void odd(int depth, int n);
static void even(int depth, int n) {
    for (int i = 0; i < n; ++i)
        work();
    if (depth > 0)
        odd(depth - 1, n);
}
static void odd(int depth, int n) {
    for (int i = 0; i < n; ++i)
        work();
    if (depth > 0)
        even(depth - 1, n);
}
static int tree(int depth, int n) {
    int sum = 0;
    for (int i = 0; i < n && depth > 0; ++i)
        sum += tree(depth - 1, n);
    return sum + 1;
}
int main(void) {
    int n = 3;
    PARAMETER(n);
    even(5, n);
    return tree(4, n) != 121;
}
