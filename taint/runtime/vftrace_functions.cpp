// The functions of vftrace.h and geopm_prof.h, which do nothing in an analysis: programs that call
// them link and run without the library. Those of sections and tasks are looked up at run time, and
// programs work without them.
#include <cstdint>
#include <cstring>

#include "vftrace.h"
#include "vftrace/geopm_prof.h"

extern "C" {

void vftrace_region_begin(const char*) {}
void vftrace_region_end(const char*) {}
void vftrace_region_hint(const char*, enum vftrace_hint) {}
void vftrace_epoch() {}
void vftrace_pause() {}
void vftrace_resume() {}

char* vftrace_get_stack() { return strdup(""); }

int vftrace_get_stack_string_length() { return 0; }

int vftrace_restore_hooks() { return 0; }

int geopm_prof_region(const char*, std::uint64_t, std::uint64_t* region) {
    if (region)
        *region = 0;
    return 0;
}

int geopm_prof_enter(std::uint64_t) { return 0; }

int geopm_prof_exit(std::uint64_t) { return 0; }

int geopm_prof_epoch() { return 0; }

int geopm_prof_overhead(double) { return 0; }

}  // extern "C"
