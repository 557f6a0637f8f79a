/* vftrace/geopm_prof.h: regions and epochs of programs that use GEOPM's functions for marking them.
 *
 * Such a program is compiled as before; these declarations are for systems on which GEOPM's own
 * header, geopm_prof.h (https://geopm.github.io), is not installed. If libvftrace is linked or
 * preloaded, the functions do what those of vftrace.h do: each region is shown in the profile and
 * in the report of regions. If the program is also linked with GEOPM's library, that is called as
 * well.
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
 * All return what GEOPM's library returns, or 0 without it; geopm_prof_region() returns EINVAL for
 * a null pointer.
 */
#ifndef VFTRACE_GEOPM_PROF_H
#define VFTRACE_GEOPM_PROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hints of GEOPM 2 and 3. Those of GEOPM 1, single bits from 2^32 on, are accepted too. */
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

/* Registers a region, and sets *region_id to the number that identifies it below. */
int geopm_prof_region(const char* region_name, uint64_t hint, uint64_t* region_id);
/* Begin and end it on the calling thread. */
int geopm_prof_enter(uint64_t region_id);
int geopm_prof_exit(uint64_t region_id);
/* Begins a pass of the outer loop. */
int geopm_prof_epoch(void);
/* Reports the time, in seconds, that other tools spent on measuring; only passed to GEOPM's
 * library. */
int geopm_prof_overhead(double overhead_sec);
/* Ends the recording of regions by GEOPM's library. Only passed to it: vftrace records to the end.
 */
int geopm_prof_shutdown(void);

/* The progress in the region that the process is in, as numbers of units of work. The threads share
 * the work, and each calls geopm_tprof_post() for each of its units.
 *
 * geopm_tprof_init() begins with num_work_unit units of all threads together.
 * geopm_tprof_init_loop() with num_iter iterations, shared by num_thread threads in chunks of
 * chunk_size, 0 for one chunk per thread; the thread with this number says how many units its own
 * are, so all threads call it.
 * geopm_prof_progress() sets the part that is done, from 0 to 1, of the region region_id. */
int geopm_tprof_init(uint32_t num_work_unit);
int geopm_tprof_init_loop(int num_thread, int thread_idx, size_t num_iter, size_t chunk_size);
int geopm_tprof_post(void);
int geopm_prof_progress(uint64_t region_id, double fraction);

#ifdef __cplusplus
}
#endif

#endif
