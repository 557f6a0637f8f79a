// Regions by GEOPM's functions. Says what they have returned.
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vftrace/geopm_prof.h>

static void work(double seconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec) <
           seconds);
}

int main(void) {
    uint64_t stream, dgemm;
    int result = geopm_prof_region("stream", VFTRACE_GEOPM_HINT_MEMORY, &stream);
    result |= geopm_prof_region("dgemm", 1ULL << 33, &dgemm);  // as GEOPM 1 has it
    work(0.3);
    for (int step = 0; step < 3; step++) {
        result |= geopm_prof_epoch();
        result |= geopm_prof_enter(stream);
        work(0.1);
        result |= geopm_prof_exit(stream);
    }
    result |= geopm_prof_enter(dgemm);
    work(0.1);
    result |= geopm_prof_exit(dgemm);
    result |= geopm_prof_overhead(0.5);
    if (fork() == 0) {  // knows the regions that its parent knew
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
