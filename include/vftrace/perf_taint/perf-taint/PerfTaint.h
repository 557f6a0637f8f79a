/* perf-taint/PerfTaint.h: the same as PerfTaint.hpp for programs in C (C99 and later), with macros
 * that begin with perf_taint_. In C++ it is PerfTaint.hpp.
 *
 * Example
 *
 *     #include <perf-taint/PerfTaint.h>
 *
 *     int main(int argc, char **argv) {
 *         int size EXTRAP = atoi(argv[1]);
 *         perf_taint_register_variable(&size, VARIABLE_NAME(size));
 *         return solve(size);
 *     }
 */
#ifndef VFTRACE_PERF_TAINT_H
#define VFTRACE_PERF_TAINT_H

#ifdef __cplusplus

#include "PerfTaint.hpp"

#else

#include "../../parameters.h"
#include "PerfTaintMarks.h"

/* See VFTRACE_PARAMETER: variables of arithmetic types. */
#define perf_taint_register_variable(variable, name)                                               \
    vftrace_parameter_typed((const void*)(variable), sizeof *(variable), name,                     \
                            VFTRACE_DETAIL_TYPE(*(variable)))

/* See vftrace_parameter_has_label. A null pointer as name: any parameter. */
#define perf_taint_has_label(variable, name)                                                       \
    vftrace_parameter_has_label(variable, sizeof *(variable), name)
#define perf_taint_delete_label(variable, name)                                                    \
    vftrace_parameter_delete_labels(variable, sizeof *(variable), name)
#define perf_taint_delete_labels(variable)                                                         \
    vftrace_parameter_delete_labels(variable, sizeof *(variable), 0)

#endif

#endif
