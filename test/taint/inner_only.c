/* A constant loop around one that depends on a parameter, whose counter bounds a third. */
#include "parameter.h"
static void triangle(int n) {
    for (int s = 0; s < 3; ++s)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < i; ++j)
                work();
}
int main(void) {
    int n = 4;
    PARAMETER(n);
    triangle(n);
    return 0;
}
