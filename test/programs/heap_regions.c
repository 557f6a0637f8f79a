// Allocates in a region, in a section inside it, and outside both; the region is also entered from
// another function.
#include <stdlib.h>
#include <vftrace.h>
#include <vftrace/sections.h>

enum { mebibyte = 1 << 20 };
static void* volatile kept[16];

static const vftrace_section* solve;

__attribute__((noinline)) static void* get(int mebibytes) {
    return malloc((size_t)mebibytes * mebibyte);
}

__attribute__((noinline)) static void step(int i) {
    vftrace_region_begin("time step");
    kept[i] = get(2);
    vftrace_section_begin(solve);
    kept[i + 1] = get(3);
    free(get(10));
    vftrace_section_end(solve);
    vftrace_region_end("time step");
}

__attribute__((noinline)) static void last_step(void) { step(4); }

int main(void) {
    solve = vftrace_section_register("solve", 1, "", 0);
    kept[15] = get(1);
    step(0);
    step(2);
    last_step();
    free(kept[0]);
    return 0;
}
