/* while loops, do loops, and loops that are left in the middle. */
#include "parameter.h"
static int halve(int n) {
    int steps = 0;
    while (n > 1) {
        n /= 2;
        ++steps;
    }
    return steps;
}
static void at_least_once(int m) {
    do {
        work();
    } while (--m > 0);
}
static int search(const int* list, int size, int wanted) {
    for (int i = 0; i < size; ++i)
        if (list[i] == wanted)
            return i;
    return -1;
}
int main(void) {
    int n = 100, m = 3, wanted = 7;
    static const int list[] = {1, 5, 7, 9};
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(wanted);
    halve(n);
    at_least_once(m);
    return search(list, 4, wanted) != 2;
}
