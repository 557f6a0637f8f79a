/* Misuse of vftrace_region_end: none open, another name, overlapping regions, null pointers. */
#include <stdio.h>
#include <vftrace.h>

static volatile int sink;
__attribute__((noinline)) static void work(void) {
    for (int i = 0; i < 100000; i++)
        sink++;
}
__attribute__((noinline)) static void begins_only(void) {
    vftrace_region_begin("begun below");
    work();
}
__attribute__((noinline)) static void ends_only(void) {
    work();
    vftrace_region_end("begun above");
    work();
}

int main(void) {
    vftrace_region_end("never begun");
    vftrace_region_end("never begun");

    vftrace_region_begin("outer");
    vftrace_region_begin("inner");
    work();
    vftrace_region_end("outer"); /* overlapping */
    work();
    vftrace_region_end("inner");

    vftrace_region_begin("misspelt");
    work();
    vftrace_region_end("mispelt");

    begins_only();
    work();
    vftrace_region_end("begun below");

    vftrace_region_begin("begun above");
    ends_only();
    work();

    vftrace_region_begin(NULL);
    work();
    vftrace_region_end(NULL);
    work();
    puts("done");
    return 0;
}
