// The functions of LIKWID's marker interface, by their documentation
// (https://github.com/RRZE-HPC/likwid/wiki/TutorialMarkerC). Regions are those of a thread, and
// may overlap.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface likwid = Interface::likwid;

void begins(const char* tag, std::uintptr_t stack) { begin(likwid, Role::region, tag, stack); }
void ends(const char* tag) { end(likwid, Role::region, tag); }

// Without the library: there are no events.
void figures_of(const char* tag, int* events, double* time, int* count) {
    std::uint64_t calls_so_far = 0;
    double seconds = 0;
    if (is_told())
        calls->figures(likwid, tag, calls_so_far, seconds);
    if (events)
        *events = 0;
    if (time)
        *time = seconds;
    if (count)
        *count = static_cast<int>(calls_so_far);
}

}  // namespace

// The functions without arguments and results, in C and in Fortran.
#define VFTRACE_PASSED_ON(name)                                                                    \
    VFTRACE_TOOL_FUNCTION(void, name, ()) { call_real(VFTRACE_REAL(name)); }
VFTRACE_PASSED_ON(likwid_markerInit)
VFTRACE_PASSED_ON(likwid_markerThreadInit)
VFTRACE_PASSED_ON(likwid_markerNextGroup)
VFTRACE_PASSED_ON(likwid_markerClose)
VFTRACE_PASSED_ON(likwid_markerinit_)
VFTRACE_PASSED_ON(likwid_markerthreadinit_)
VFTRACE_PASSED_ON(likwid_markernextgroup_)
VFTRACE_PASSED_ON(likwid_markerclose_)
VFTRACE_PASSED_ON(nvmon_markerInit)
VFTRACE_PASSED_ON(nvmon_markerNextGroup)
VFTRACE_PASSED_ON(nvmon_markerClose)
VFTRACE_PASSED_ON(rocmon_markerInit)
VFTRACE_PASSED_ON(rocmon_markerNextGroup)
VFTRACE_PASSED_ON(rocmon_markerClose)
#undef VFTRACE_PASSED_ON

VFTRACE_TOOL_FUNCTION(int, likwid_markerRegisterRegion, (const char* tag)) {
    return call_real(VFTRACE_REAL(likwid_markerRegisterRegion), 0, tag);
}
VFTRACE_TOOL_FUNCTION(int, likwid_markerResetRegion, (const char* tag)) {
    return call_real(VFTRACE_REAL(likwid_markerResetRegion), 0, tag);
}
VFTRACE_TOOL_FUNCTION(int, likwid_markerWriteFile, (const char* file)) {
    return call_real(VFTRACE_REAL(likwid_markerWriteFile), 0, file);
}
VFTRACE_TOOL_FUNCTION(void, likwid_markerGetRegion,
                      (const char* tag, int* events, double* values, double* time, int* count)) {
    if (const auto real = VFTRACE_REAL(likwid_markerGetRegion))
        call_real(real, tag, events, values, time, count);
    else
        figures_of(tag, events, time, count);
}
VFTRACE_TOOL_FUNCTION(void, likwid_markergetregion_,
                      (const char* tag, int* events, double* values, double* time, int* count,
                       int length)) {
    if (const auto real = VFTRACE_REAL(likwid_markergetregion_))
        call_real(real, tag, events, values, time, count, length);
    else
        figures_of(FortranText(tag, length), events, time, count);
}

// The functions that begin and end regions: of processors and of GPUs.
#define VFTRACE_MARKERS(family)                                                                    \
    VFTRACE_TOOL_FUNCTION(int, family##_markerStartRegion, (const char* tag)) {                    \
        const int result = call_real(VFTRACE_REAL(family##_markerStartRegion), 0, tag);            \
        begins(tag, VFTRACE_STACK);                                                                \
        return result;                                                                             \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(int, family##_markerStopRegion, (const char* tag)) {                     \
        ends(tag);                                                                                 \
        return call_real(VFTRACE_REAL(family##_markerStopRegion), 0, tag);                         \
    }
VFTRACE_MARKERS(likwid)
VFTRACE_MARKERS(nvmon)
VFTRACE_MARKERS(rocmon)
#undef VFTRACE_MARKERS

VFTRACE_TOOL_FUNCTION(void, likwid_markerregisterregion_, (const char* tag, int length)) {
    call_real(VFTRACE_REAL(likwid_markerregisterregion_), tag, length);
}
VFTRACE_TOOL_FUNCTION(void, likwid_markerresetregion_, (const char* tag, int length)) {
    call_real(VFTRACE_REAL(likwid_markerresetregion_), tag, length);
}
VFTRACE_TOOL_FUNCTION(void, likwid_markerstartregion_, (const char* tag, int length)) {
    call_real(VFTRACE_REAL(likwid_markerstartregion_), tag, length);
    begins(FortranText(tag, length), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, likwid_markerstopregion_, (const char* tag, int length)) {
    ends(FortranText(tag, length));
    call_real(VFTRACE_REAL(likwid_markerstopregion_), tag, length);
}
