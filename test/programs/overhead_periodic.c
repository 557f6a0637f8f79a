// Short calls, every 16th of which is about thirty times as long: a profiler that times every 16th
// call sees only these, or none of them.
#include "vftrace.h"

static volatile unsigned sink;

__attribute__((noinline)) static void periodic(unsigned call) {
    unsigned steps = call % 16 == 0 ? 600 : 20;
    for (unsigned i = 0; i < steps; i++)
        sink += i;
}

int main(void) {
    for (unsigned call = 0; call < 400000; call++)
        periodic(call);
    return 0;
}
