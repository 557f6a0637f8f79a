/* Parameters that cannot be marked, and others that can. */
#include "parameter.h"
#include <stdlib.h>
static void loop(int n) {
    for (int i = 0; i < n; ++i)
        work();
}
static void registers_local(int value) {
    int n = value;
    PARAMETER(n);
    loop(n);
}
int main(void) {
    register int kept = 4; /* has no address */
    int empty = 1, unused = 2, assigned = 3, *freed = malloc(1 << 20);
    free(freed);
    vftrace_parameter(0, 4, "null");
    vftrace_parameter(freed + 5000, 4, "freed");
    vftrace_parameter(&empty, 0, "empty");
    vftrace_parameter(&empty, sizeof empty, "");
    vftrace_parameter(&empty, sizeof empty, 0);
    vftrace_parameter((void*)-1, 4, "wild");
    PARAMETER(unused);
    PARAMETER(assigned);
    assigned = kept; /* so it no longer depends on anything */
    loop(assigned);
    registers_local(3); /* the same name twice */
    registers_local(4);
    return 0;
}
