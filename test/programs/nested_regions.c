// Regions inside each other: as many levels as the argument says, each a path of its own.
#include <stdio.h>
#include <stdlib.h>

void vftrace_region_begin(const char* name) __attribute__((weak));
void vftrace_region_end(const char* name) __attribute__((weak));

int main(int argc, char** argv) {
    const int levels = argc > 1 ? atoi(argv[1]) : 10;
    char name[32];
    for (int i = 0; vftrace_region_begin && i < levels; i++) {
        snprintf(name, sizeof name, "level %d", i);
        vftrace_region_begin(name);
    }
    for (int i = levels; vftrace_region_end && i-- > 0;) {
        snprintf(name, sizeof name, "level %d", i);
        vftrace_region_end(name);
    }
    return 0;
}
