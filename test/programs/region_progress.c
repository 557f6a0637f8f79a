// Reports progress in regions as GEOPM's tutorials do, for all of the work, for a part of it, in a
// loop of two threads, and as a fraction. Prints what the functions return.
#include <stdio.h>

#include <vftrace/geopm_prof.h>

static int enter(const char* name, uint64_t* region) {
    return geopm_prof_region(name, VFTRACE_GEOPM_HINT_COMPUTE, region) | geopm_prof_enter(*region);
}

int main(void) {
    uint64_t region;
    int result = enter("all", &region) | geopm_tprof_init(10);
    for (int i = 0; i < 10; i++)
        result |= geopm_tprof_post();
    result |= geopm_prof_exit(region);

    result |= enter("a quarter", &region) | geopm_tprof_init(8);
    for (int i = 0; i < 2; i++)
        result |= geopm_tprof_post();
    result |= geopm_prof_exit(region);

    result |= enter("loop", &region);
    for (int thread = 0; thread < 2; thread++)
        result |= geopm_tprof_init_loop(2, thread, 6, 0);
    for (int i = 0; i < 3; i++)
        result |= geopm_tprof_post();
    result |= geopm_prof_exit(region);

    result |= enter("fraction", &region) | geopm_prof_progress(region, 0.7) |
              geopm_prof_progress(region, 0.3);
    result |= geopm_prof_exit(region);
    result |= geopm_prof_shutdown();
    printf("%d\n", result);
    return 0;
}
