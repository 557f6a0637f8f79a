// The functions of GCC's OpenMP library that programs find instead of the real ones.
//
// They are weak so that a program that links the OpenMP library and libvftrace.a statically keeps
// the real ones. If there is nothing to record, the real function is called by a jump (a tail
// call), so that it sees the program as its caller.
#include "guest/frame_address.hpp"
#include "openmp/libgomp_regions.hpp"
#include "openmp/libgomp_roles.hpp"
#include "openmp/libgomp_tasks.hpp"
#include "openmp/ompt_tool.hpp"

using namespace vftrace;

#define VFTRACE_PARAMETERS_0
#define VFTRACE_PARAMETERS_1 Word a
#define VFTRACE_PARAMETERS_3 Word a, Word b, Word c
#define VFTRACE_PARAMETERS_4 VFTRACE_PARAMETERS_3, Word d
#define VFTRACE_PARAMETERS_5 VFTRACE_PARAMETERS_4, Word e
#define VFTRACE_PARAMETERS_6 VFTRACE_PARAMETERS_5, Word f
#define VFTRACE_PARAMETERS_7 VFTRACE_PARAMETERS_6, Word g
#define VFTRACE_PARAMETERS_8 VFTRACE_PARAMETERS_7, Word h
#define VFTRACE_PARAMETERS_9 VFTRACE_PARAMETERS_8, Word i
#define VFTRACE_PARAMETERS_10 VFTRACE_PARAMETERS_9, Word j
#define VFTRACE_PARAMETERS_11 VFTRACE_PARAMETERS_10, Word k
#define VFTRACE_ARGUMENTS_0
#define VFTRACE_ARGUMENTS_1 , a
#define VFTRACE_ARGUMENTS_3 , a, b, c
#define VFTRACE_ARGUMENTS_4 VFTRACE_ARGUMENTS_3, d
#define VFTRACE_ARGUMENTS_5 VFTRACE_ARGUMENTS_4, e
#define VFTRACE_ARGUMENTS_6 VFTRACE_ARGUMENTS_5, f
#define VFTRACE_ARGUMENTS_7 VFTRACE_ARGUMENTS_6, g
#define VFTRACE_ARGUMENTS_8 VFTRACE_ARGUMENTS_7, h
#define VFTRACE_ARGUMENTS_9 VFTRACE_ARGUMENTS_8, i
#define VFTRACE_ARGUMENTS_10 VFTRACE_ARGUMENTS_9, j
#define VFTRACE_ARGUMENTS_11 VFTRACE_ARGUMENTS_10, k
#define VFTRACE_WITHOUT_PARENTHESES(...) __VA_ARGS__

namespace {

// There is nothing to record, except for what LLVM's library cannot know about code from GCC.
template <GompFunction function, class... Words>
[[gnu::always_inline]] inline Word pass_through(const void* caller, void* real, Words... words) {
    // Earlier versions of GCC pass fewer arguments; passing on all of them by a jump would mean
    // writing where the caller may have something else.
    if constexpr (function == GompFunction::GOMP_task) {
        announce_task_at(caller);
        Word result = call_gomp(real, words...);
        announce_task_at(nullptr);
        return result;
    }
    if constexpr (function == GompFunction::GOMP_single_start)
        announce_single_without_end();
    return call_gomp(real, words...);
}

}  // namespace

#define VFTRACE_GOMP(name, version, count, role)                                                   \
    extern "C" [[gnu::visibility("default"), gnu::weak]] Word name(VFTRACE_PARAMETERS_##count) {   \
        const void* caller = __builtin_return_address(0);                                          \
        const RealGompFunction& real = real_gomp_function(GompFunction::name, caller);             \
        if (real.passes_through)                                                                   \
            return pass_through<GompFunction::name>(caller,                                        \
                                                    real.address VFTRACE_ARGUMENTS_##count);       \
        using Role = VFTRACE_WITHOUT_PARENTHESES role;                                             \
        return Role::run(GompSite{caller, frame_address() - sizeof(void*)},                        \
                         real.address VFTRACE_ARGUMENTS_##count);                                  \
    }
#include "openmp/libgomp_functions.inc"
#undef VFTRACE_GOMP
