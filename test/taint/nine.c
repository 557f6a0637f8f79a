/* More parameters than there are labels. */
#include "parameter.h"
static void both(int a, int b) {
    for (int i = 0; i < a + b; ++i)
        work();
}
static void one(int a) {
    for (int i = 0; i < a; ++i)
        work();
}
int main(void) {
    int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10;
    PARAMETER(a);
    PARAMETER(b);
    PARAMETER(c);
    PARAMETER(d);
    PARAMETER(e);
    PARAMETER(f);
    PARAMETER(g);
    PARAMETER(h);
    PARAMETER(i);
    PARAMETER(j);
    both(a, i);
    both(b, c);
    both(b, j);
    one(d);
    one(j);
    one(5);
    return e + f + g + h == 0;
}
