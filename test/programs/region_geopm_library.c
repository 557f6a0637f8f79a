// Replaces GEOPM's library: prints at the end how it was called.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char* names[10];
static int entries[10], exits[10], epochs, regions;
static double overhead;

int geopm_prof_region(const char* name, uint64_t hint, uint64_t* id) {
    names[regions] = strdup(name);
    *id = 0x1234500000000000u + hint * 1000 + (uint64_t)regions++;
    return 0;
}
int geopm_prof_enter(uint64_t id) {
    if (id < 1000000)
        return -1;
    entries[id % 10]++;
    return 0;
}
int geopm_prof_exit(uint64_t id) {
    exits[id % 10]++;
    return 0;
}
int geopm_prof_epoch(void) {
    epochs++;
    return 0;
}
int geopm_prof_overhead(double seconds) {
    overhead += seconds;
    return 0;
}
__attribute__((destructor)) static void report(void) {
    int known = 0;
    for (int i = 0; i < 10; i++)
        if (entries[i] > 0)
            printf("region %s %d\n", names[known++], entries[i] == exits[i] ? entries[i] : -1);
    printf("epochs %d, overhead %g\n", epochs, overhead);
}
