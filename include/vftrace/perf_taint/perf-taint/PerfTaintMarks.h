/* perf-taint/PerfTaintMarks.h: what PerfTaint.h and PerfTaint.hpp share. */
#ifndef VFTRACE_PERF_TAINT_MARKS_H
#define VFTRACE_PERF_TAINT_MARKS_H

/* Used at the declaration of a parameter. vftrace needs no mark there. */
#if defined(__clang__)
#define EXTRAP __attribute__((annotate("extrap")))
#else
#define EXTRAP
#endif

#define VARIABLE_NAME(variable) #variable

#endif
