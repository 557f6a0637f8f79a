// The functions of AMD's ROCTX, which libroctx64 and librocprofiler-sdk-roctx have.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface roctx = Interface::roctx;

// Without the library: the level of the calling thread's ranges, and the numbers of others.
__thread int level __attribute__((tls_model("initial-exec")));
std::uint64_t ranges_started;

}  // namespace

VFTRACE_TOOL_FUNCTION(void, roctxMarkA, (const char* text)) {
    call_real(VFTRACE_REAL(roctxMarkA), text);
    happened(roctx, Role::marker, text);
}
VFTRACE_TOOL_FUNCTION(int, roctxRangePushA, (const char* text)) {
    const int result = call_real(VFTRACE_REAL(roctxRangePushA), level++, text);
    begin(roctx, Role::region, text, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, roctxRangePop, ()) {
    end(roctx, Role::region, nullptr);
    level -= level > 0;
    return call_real(VFTRACE_REAL(roctxRangePop), level);
}
VFTRACE_TOOL_FUNCTION(std::uint64_t, roctxRangeStartA, (const char* text)) {
    const auto real = VFTRACE_REAL(roctxRangeStartA);
    const std::uint64_t id =
        real ? call_real(real, std::uint64_t{0}, text)
             : __atomic_add_fetch(&ranges_started, std::uint64_t{1}, __ATOMIC_RELAXED);
    begin_task({roctx, {id}}, text);
    return id;
}
VFTRACE_TOOL_FUNCTION(void, roctxRangeStop, (std::uint64_t id)) {
    end_task({roctx, {id}});
    call_real(VFTRACE_REAL(roctxRangeStop), id);
}
VFTRACE_TOOL_FUNCTION(int, roctxProfilerPause, (std::uint64_t thread)) {
    pause(roctx, VFTRACE_STACK);
    return call_real(VFTRACE_REAL(roctxProfilerPause), 0, thread);
}
VFTRACE_TOOL_FUNCTION(int, roctxProfilerResume, (std::uint64_t thread)) {
    const int result = call_real(VFTRACE_REAL(roctxProfilerResume), 0, thread);
    resume(roctx, __builtin_return_address(0), VFTRACE_STACK);
    return result;
}
