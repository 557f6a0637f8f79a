/* Branches in loops; those that leave the loop do not count, because their conditions are exits. */
#include "parameter.h"
static void choose(int n, int m, const int* list) {
    for (int i = 0; i < n; ++i) {
        if (list[i % 4] == 2) /* does not depend on anything */
            work();
        if (m > 3)
            work();
        switch (i + m) {
        case 4:
            work();
            break;
        default:
            break;
        }
    }
    if (m > 3)
        work();
}
int main(void) {
    int n = 5, m = 4;
    static const int list[] = {0, 1, 2, 3};
    PARAMETER(n);
    PARAMETER(m);
    choose(n, m, list);
    return 0;
}
