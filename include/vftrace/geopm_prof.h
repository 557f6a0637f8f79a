/* vftrace/geopm_prof.h: regions and epochs for programs that are marked with GEOPM's functions.
 *
 * Such a program is compiled as before; these declarations serve where GEOPM's own header,
 * geopm_prof.h (https://geopm.github.io), is not installed. Linked with libvftrace, or with it
 * preloaded, the functions are those of vftrace.h: each region is one of the profile and of the
 * report of regions. If the program has the real library as well, that one is called too.
 *
 *     uint64_t id;
 *     geopm_prof_region("stream", VFTRACE_GEOPM_HINT_MEMORY, &id);
 *     for (int step = 0; step < steps; step++) {
 *         geopm_prof_epoch();
 *         geopm_prof_enter(id);
 *         stream();
 *         geopm_prof_exit(id);
 *     }
 *
 * All return what the real library returns, else 0; geopm_prof_region() EINVAL for a null pointer.
 */
#ifndef VFTRACE_GEOPM_PROF_H
#define VFTRACE_GEOPM_PROF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hints of GEOPM 2 and 3. Those of GEOPM 1, one bit from 2^32 on each, are understood too. */
enum vftrace_geopm_hint {
    VFTRACE_GEOPM_HINT_UNSET,
    VFTRACE_GEOPM_HINT_UNKNOWN,
    VFTRACE_GEOPM_HINT_COMPUTE,
    VFTRACE_GEOPM_HINT_MEMORY,
    VFTRACE_GEOPM_HINT_NETWORK,
    VFTRACE_GEOPM_HINT_IO,
    VFTRACE_GEOPM_HINT_SERIAL,
    VFTRACE_GEOPM_HINT_PARALLEL,
    VFTRACE_GEOPM_HINT_IGNORE,
    VFTRACE_GEOPM_HINT_INACTIVE, /* as unset */
    VFTRACE_GEOPM_HINT_SPIN
};

/* Makes a region known, and sets *region_id to what stands for it below. */
int geopm_prof_region(const char* region_name, uint64_t hint, uint64_t* region_id);
/* Begins and ends it on the calling thread. */
int geopm_prof_enter(uint64_t region_id);
int geopm_prof_exit(uint64_t region_id);
/* Begins a pass of the outer loop. */
int geopm_prof_epoch(void);
/* So many seconds were spent on measuring by others; for the real library alone. */
int geopm_prof_overhead(double overhead_sec);

#ifdef __cplusplus
}
#endif

#endif
