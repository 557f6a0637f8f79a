/* return, goto and break out of two loops at once. */
#include "parameter.h"
static int leave(int n, int m) {
    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < n; ++j)
            if (i * j == m)
                goto out;
out:
    return 1;
}
static int give_up(int limit) {
    int i = 0;
    for (;;) {
        if (++i > limit)
            return i;
        work();
    }
}
int main(void) {
    int n = 4, m = 6, limit = 3;
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(limit);
    return leave(n, m) + give_up(limit) != 5;
}
