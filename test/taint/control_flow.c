/* Lengths that are chosen or counted: they depend on parameters only through control flow. */
#include "parameter.h"
static void over_chosen(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
static void over_counted(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
static void over_other(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
int main(int argc, char** argv) {
    (void)argv;
    int n = 5, m = 20, k = argc;
    PARAMETER(n);
    PARAMETER(m);
    int length = 1;
    if (n > 3) {
        work();
        length = 2;
    }
    over_chosen(length);
    int counted = 0;
    for (int rest = m; rest > 0; rest /= 2)
        counted += 2;
    over_counted(counted);
    int other = 3;
    if (k > 3) {
        work();
        other = 4;
    }
    over_other(other);
    return 0;
}
