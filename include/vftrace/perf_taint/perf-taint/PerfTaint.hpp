/* perf-taint/PerfTaint.hpp: lets programs that mark their parameters for perf-taint use vftrace
 * unchanged. It replaces perf-taint's own header: -I INCLUDEDIR/vftrace/perf_taint.
 *
 * Example
 *
 *     #include <perf-taint/PerfTaint.hpp>
 *
 *     int main(int argc, char** argv) {
 *         int size EXTRAP = std::atoi(argv[1]);
 *         perf_taint::register_variable(&size, VARIABLE_NAME(size));
 *         return solve(size);
 *     }
 */
#ifndef VFTRACE_PERF_TAINT_HPP
#define VFTRACE_PERF_TAINT_HPP

#include "../../parameters.h"

/* Used at the declaration of a parameter. vftrace needs no mark there. */
#if defined(__clang__)
#define EXTRAP __attribute__((annotate("extrap")))
#else
#define EXTRAP
#endif

#define VARIABLE_NAME(variable) #variable

namespace perf_taint {

/* See vftrace_parameter_typed. If the variable is not a number, its value is not recorded. */
template <class Variable>
VFTRACE_DETAIL_PARAMETER void register_variable(const volatile Variable* variable,
                                                const char* name) {
    vftrace_parameter_typed(const_cast<const Variable*>(variable), sizeof *variable, name,
                            VFTRACE_PARAMETER_MEMORY);
}

VFTRACE_DETAIL_OVERLOADS(register_variable)

} /* namespace perf_taint */

#endif
