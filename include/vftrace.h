/* vftrace.h: marks regions of a program by hand, switches profiling off and on, returns the current
 * call path, and records the parameters of a run. For C (C99 and later) and C++; vftrace.hpp adds
 * scoped regions for C++.
 *
 * A program does not need this header to be profiled: functions appear when it is compiled with
 * vftrace-cc, or with -finstrument-functions and -lvftrace.
 *
 * Example
 *
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *     #include <vftrace.h>
 *
 *     int main(void) {
 *         vftrace_pause();                    // reading the input is not of interest
 *         read_input();
 *         vftrace_resume();
 *
 *         vftrace_region_begin("time loop");  // a line of its own in the profile
 *         for (int step = 0; step < 100; step++) {
 *             advance(step);                  // appears as advance<time loop<main<init
 *         }
 *         char *stack = vftrace_get_stack();
 *         printf("now in %s\n", stack);       // now in time loop<main<init
 *         free(stack);
 *         vftrace_region_end("time loop");
 *         return 0;
 *     }
 *
 *     $ vftrace-cc example.c -o example && ./example
 *
 * All functions may be called at any time and from any thread, even when profiling is off
 * (VFTR_OFF=yes) or has finished: they then do nothing. None of them ever ends the program; a
 * mistake in their use is reported once on stderr. A program that must also link without the
 * library guards its calls with a macro of its own.
 */
#ifndef VFTRACE_H
#define VFTRACE_H

#include "vftrace/parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a region: until it ends, the time of the calling thread is shown under `name`, and
 * functions that are called appear below it.
 *
 * name: NUL-terminated text, copied when a name is first seen, so the caller may reuse its memory.
 *       Any text is allowed, including blanks and UTF-8. A null pointer is reported once and shown
 *       as "(unnamed region)".
 *
 * Regions nest, even within a region of the same name, and belong to the thread that begins them. A
 * region that is still open when its function returns continues below the caller. Ignored while
 * profiling is off, paused or finished. */
void vftrace_region_begin(const char* name);

/* Ends a region of the calling thread: the innermost open one that began with this name.
 *
 * name: compared as text; it need not be the same pointer. If no open region has this name, the
 *       innermost one ends instead; a region that began later and is still open continues. Both
 *       cases are reported once, as is a call without an open region, which is ignored.
 *
 * Ignored while profiling is off, paused or finished. */
void vftrace_region_end(const char* name);

/* The kind of work done in a region, for the report of regions and energy (option
 * region_report.active). */
enum vftrace_hint {
    VFTRACE_HINT_UNSET,    /* as outside all regions */
    VFTRACE_HINT_UNKNOWN,  /* for regions without a hint */
    VFTRACE_HINT_COMPUTE,  /* bound by the speed of the processors */
    VFTRACE_HINT_MEMORY,   /* bound by memory bandwidth */
    VFTRACE_HINT_NETWORK,  /* bound by messages, as MPI calls are */
    VFTRACE_HINT_IO,       /* bound by file access */
    VFTRACE_HINT_SERIAL,   /* done by one thread while others wait */
    VFTRACE_HINT_PARALLEL, /* work for many threads */
    VFTRACE_HINT_IGNORE,   /* not of interest, such as setup; epochs do not begin there */
    VFTRACE_HINT_SPIN      /* waiting for another thread */
};

/* Sets the hint for all regions with this name, from their next entry on. Best called once, before
 * the region is entered, because it looks up the name. Ignored while profiling is off, paused or
 * finished.
 */
void vftrace_region_hint(const char* name, enum vftrace_hint hint);

/* Begins a pass of the program's outer loop, such as a time step. The report has the number of
 * epochs, and totals from the first one on. Each process calls it once per pass; if nothing needs
 * the call, it costs one load. See also the option region_report.epoch_region. */
void vftrace_epoch(void);

/* Returns the current call path of the calling thread, innermost first, for example
 * "inner<outer<main<init".
 *
 * The text is allocated with malloc; the caller frees it. When profiling is off or has finished, it
 * is the empty string. A null pointer is returned only if memory is exhausted. */
char* vftrace_get_stack(void);

/* Stops recording on all threads of the process until vftrace_resume is called on any thread. The
 * time in between is shown as the function vftrace_pause, at the place where it was called, and is
 * not added to any open call of any thread. Regions that begin or end while recording is paused are
 * ignored, so pause and resume at the same nesting depth. Ignored if already paused. */
void vftrace_pause(void);

/* Resumes recording after vftrace_pause. Without an earlier pause it has no effect. */
void vftrace_resume(void);

/* Restores all hooks that were removed because of `overhead.budget` or of a filter, and records
 * these functions again from now on, for example when a new phase of the program begins. Hooks of
 * functions that a filter excludes are removed again at the next call, and those of functions that
 * cost too much at the next review.
 *
 * Returns the number of restored hooks; 0 if there are none, if profiling is off, or if another
 * thread is changing code at this moment. */
int vftrace_restore_hooks(void);

#ifdef __cplusplus
}
#endif

#endif
