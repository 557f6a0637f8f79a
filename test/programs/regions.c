/* Regions: alternating in one function, nested in themselves, with unusual names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vftrace.h>

__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }

int main(void) {
    for (int i = 0; i < 2; i++) {
        vftrace_region_begin("first");
        work();
        vftrace_region_end("first");
        vftrace_region_begin("second");
        work();
        vftrace_region_end("second");
    }
    vftrace_region_begin("self");
    vftrace_region_begin("self");
    work();
    vftrace_region_end("self");
    vftrace_region_end("self");

    vftrace_region_begin("");
    vftrace_region_end("");
    char* name = malloc(10001);
    memset(name, 'x', 10000);
    name[10000] = '\0';
    vftrace_region_begin(name);
    memset(name, 'y', 10000); /* the caller may reuse the memory of the name */
    memset(name, 'x', 10000);
    vftrace_region_end(name);
    free(name);
    vftrace_region_begin("not \xff UTF-8");
    vftrace_region_end("not \xff UTF-8");
    vftrace_region_begin("\xce\xb1\xce\xb2 with\nnewline \"quoted\" | and bar");
    work();
    vftrace_region_end("\xce\xb1\xce\xb2 with\nnewline \"quoted\" | and bar");
    puts("done");
    return 0;
}
