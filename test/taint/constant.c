/* Loops whose count does not depend on anything leave no entry. */
#include "parameter.h"
static void fixed(void) {
    for (int i = 0; i < 10; ++i)
        work();
}
static void known(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
int main(void) {
    int n = 5;
    int other = 7;
    PARAMETER(n);
    fixed();
    known(other);
    return 0;
}
