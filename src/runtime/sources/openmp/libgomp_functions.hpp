// Where the real functions of GCC's OpenMP library are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

using Word = std::uintptr_t;  // an argument, whatever its type

enum class GompFunction : std::uint8_t {
#define VFTRACE_GOMP(name, version, arguments, role) name,
#include "openmp/libgomp_functions.inc"
#undef VFTRACE_GOMP
};
inline constexpr std::size_t gomp_function_count = 0
#define VFTRACE_GOMP(name, version, arguments, role) +1
#include "openmp/libgomp_functions.inc"
#undef VFTRACE_GOMP
    ;

struct RealGompFunction {
    void* address;  // nullptr: not looked up yet
    // Nothing is to be recorded: openmp.active is false, or the function is that of LLVM's library,
    // which reports more itself (ompt_tool.cpp).
    bool passes_through;
};

// The functions that are the same for all callers, as far as they have been looked up.
extern RealGompFunction real_gomp_functions[gomp_function_count];
const RealGompFunction& find_real_gomp_function(GompFunction function, const void* caller);

// The function that a call from `caller` would have reached without us.
[[gnu::always_inline]] inline const RealGompFunction& real_gomp_function(GompFunction function,
                                                                         const void* caller) {
    const RealGompFunction& real = real_gomp_functions[static_cast<std::size_t>(function)];
    if (__atomic_load_n(&real.address, __ATOMIC_ACQUIRE)) [[likely]]
        return real;
    return find_real_gomp_function(function, caller);
}

}  // namespace vftrace
