// A function and a region that have the name of the root of all call paths.
#include <vftrace.h>

static volatile int sink;

__attribute__((noinline)) void leaf(void) { sink++; }

__attribute__((noinline)) void init(void) {
    leaf();
    leaf();
}

int main(void) {
    init();
    init();
    vftrace_region_begin("init");
    leaf();
    vftrace_region_end("init");
    return 0;
}
