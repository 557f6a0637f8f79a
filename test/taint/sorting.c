/* Labels move with elements that qsort sorts; functions that it calls get only their own labels. */
#include <stdlib.h>

#include "parameter.h"

static int effort = 1;

static int compare(const void* a, const void* b) {
    for (int i = 0; i < effort; ++i)
        work();
    return *(const int*)a - *(const int*)b;
}

static void loop(int n) {
    for (int i = 0; i < n; ++i)
        work();
}

int main(void) {
    int n = 9, m = 4, k = 2;
    PARAMETER(n);
    PARAMETER(m);
    PARAMETER(k);
    effort = k;
    int list[] = {n, 7, m, 5};
    qsort(list, 4, sizeof *list, compare);
    loop(list[3]);
    loop(list[0]);
    loop(list[1]);
    int key = 7;
    const int* found = bsearch(&key, list, 4, sizeof *list, compare);
    return found != list + 2;
}
