/* Three nested loops, the middle one constant; two loops in one. */
#include "parameter.h"
static void nest(int n, int m, int k) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 4; ++j)
            for (int l = 0; l < m; ++l)
                work();
        for (int l = 0; l < k + m; ++l)
            work();
    }
}
int main(void) {
    int n = 3, m = 4, k = 2;
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(k);
    nest(n, m, k);
    return 0;
}
