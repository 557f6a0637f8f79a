// Regions by GEOPM's functions. Prints what they return.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vftrace/geopm_prof.h>

#include "work_for.h"

int main(void) {
    uint64_t stream, dgemm;
    int result = geopm_prof_region("stream", VFTRACE_GEOPM_HINT_MEMORY, &stream);
    result |= geopm_prof_region("dgemm", 1ULL << 33, &dgemm);  // as in GEOPM 1
    work_for(0.3);
    for (int step = 0; step < 3; step++) {
        result |= geopm_prof_epoch();
        result |= geopm_prof_enter(stream);
        work_for(0.1);
        result |= geopm_prof_exit(stream);
    }
    result |= geopm_prof_enter(dgemm);
    work_for(0.1);
    result |= geopm_prof_exit(dgemm);
    result |= geopm_prof_overhead(0.5);
    if (fork() == 0) {  // the child knows its parent's regions
        result |= geopm_prof_enter(dgemm);
        result |= geopm_prof_exit(dgemm);
        return result;
    }
    int status = 0;
    wait(&status);
    result |= status;
    printf("%d, unknown: %s\n", result, geopm_prof_enter(12345) ? "error" : "ok");
    return 0;
}
