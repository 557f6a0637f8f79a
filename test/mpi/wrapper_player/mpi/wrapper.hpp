// Replaces src/runtime/sources/mpi/wrapper.hpp, for test_mpi_generator.py: prints what generated
// wrappers pass on, instead of recording it. One line per call: its name, the type of its
// operation, the operation's members, and after "->" the arguments of the real function; the caller
// adds what the wrapper returned.
#pragma once

#include <cstdio>

#include "mpi/call.hpp"

namespace vftrace {

#define VFTRACE_MPI_EXPORT extern "C"
#define VFTRACE_MPI_SITE(entry)                                                                    \
    Site { entry, nullptr, 0 }

struct Plain {};

// The test defines some of them.
template <class Operation>
inline constexpr const char* type_name = "another type";

inline void report_function(FunctionId function, const Site& site) {
    static constexpr const char* names[] = {
#define VFTRACE_MPI_FUNCTION(name, fortran_name) #name,
#include "mpi_functions.inc"
#undef VFTRACE_MPI_FUNCTION
    };
    std::printf("%s%s:", site.entry == called_as_pmpi ? "P" : "",
                names[static_cast<std::size_t>(function)]);
}

inline void report_member(const char* role, Word word) { std::printf(" %s=%zu", role, word); }
template <class Optional>
void report_member(const char* role, const Optional& word) {
    if (word)
        report_member(role, *word);
}

struct AnyFunction {};
template <std::size_t arguments>
struct RealFunction {
    RealFunction(AnyFunction) {}
    template <class... Words>
    Word operator()(Words... words) const {
        static_assert(sizeof...(words) == arguments);
        (std::printf(" %zu", words), ...);
        return 1000;
    }
};

template <class Operation, class CallReal>
Word wrap(FunctionId function, const Site& site, Operation& operation, CallReal call_real) {
    report_function(function, site);
    std::printf(" [%s]", type_name<Operation>);
#define ROLE(role)                                                                                 \
    if constexpr (requires { operation.role; })                                                    \
        report_member(#role, operation.role);
#include "roles.inc"
#undef ROLE
    std::printf(" ->");
    return call_real(AnyFunction{});
}

inline double wrap_clock(FunctionId function, const Site& site) {
    report_function(function, site);
    std::printf(" ->");
    return 0.5;
}

}  // namespace vftrace
