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
#include "PerfTaintMarks.h"

namespace perf_taint {

/* See vftrace_parameter_typed. If the variable is not a number, its value is not recorded. */
template <class Variable>
VFTRACE_DETAIL_PARAMETER void register_variable(const volatile Variable* variable,
                                                const char* name) {
    vftrace_parameter_typed(const_cast<const Variable*>(variable), sizeof *variable, name,
                            VFTRACE_PARAMETER_MEMORY);
}

VFTRACE_DETAIL_OVERLOADS(register_variable)

/* Several: register_variables(&x, VARIABLE_NAME(x), &y, VARIABLE_NAME(y)). */
VFTRACE_DETAIL_PARAMETER void register_variables() {}
#if __cplusplus >= 201103L
template <class Variable, class... Others>
VFTRACE_DETAIL_PARAMETER void register_variables(const volatile Variable* variable,
                                                 const char* name, const Others&... others) {
    register_variable(const_cast<const Variable*>(variable), name);
    register_variables(others...);
}
#endif

/* Whether a value depends on a parameter, or on any; and that it no longer does, as far as the
 * analysis is concerned. See vftrace_parameter_has_label. */
template <class Variable>
VFTRACE_DETAIL_PARAMETER bool has_label(const Variable* variable, const char* name = 0) {
    return vftrace_parameter_has_label(variable, sizeof *variable, name) != 0;
}
template <class Variable>
VFTRACE_DETAIL_PARAMETER void delete_label(Variable* variable, const char* name) {
    vftrace_parameter_delete_labels(variable, sizeof *variable, name);
}
template <class Variable>
VFTRACE_DETAIL_PARAMETER void delete_labels(Variable* variable) {
    vftrace_parameter_delete_labels(variable, sizeof *variable, 0);
}

} /* namespace perf_taint */

#endif
