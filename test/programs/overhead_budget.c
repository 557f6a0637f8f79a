// Functions that are too small to be measured, one of which occasionally leads to a region.
//
//   overhead_budget [CALLS]
#include <stdlib.h>

#include "vftrace.h"

static volatile unsigned sink;

__attribute__((noinline)) static void tiny(void) { sink++; }

__attribute__((noinline)) static void leads_to_region(unsigned call) {
    if (call % 100000 == 0) {
        vftrace_region_begin("now and then");
        sink++;
        vftrace_region_end("now and then");
    }
}

__attribute__((noinline)) static void caller(unsigned calls) {
    for (unsigned call = 0; call < calls; call++) {
        tiny();
        leads_to_region(call);
    }
}

int main(int count, char** arguments) {
    caller(count > 1 ? (unsigned)atoi(arguments[1]) : 20000000);
    return 0;
}
