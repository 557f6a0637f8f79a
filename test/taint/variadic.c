/* Variadic functions, inline assembly, values of structures. */
#include "parameter.h"
#include <stdarg.h>
struct Pair {
    int low;
    int high;
};
static void of_arguments(int count, ...) {
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; ++i) {
        int end = va_arg(list, int);
        for (int j = 0; j < end; ++j)
            work();
    }
    va_end(list);
}
static struct Pair make_pair(int low, int high) {
    struct Pair pair = {low, high};
    return pair;
}
static void of_pair(struct Pair pair) {
    for (int i = pair.low; i < pair.high; ++i)
        work();
}
static void assembled(int n) {
    int end;
    __asm__("mov %1, %0" : "=r"(end) : "r"(n));
    for (int i = 0; i < end; ++i)
        work();
}
int main(void) {
    int n = 3, m = 4, count = 2;
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(count);
    of_arguments(count, n, 5);
    of_pair(make_pair(1, m));
    assembled(n);
    return 0;
}
