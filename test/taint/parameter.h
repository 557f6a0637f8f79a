/* The macro with which the programs here mark their parameters. */
#ifndef PARAMETER_H
#define PARAMETER_H
#include <vftrace.h>

#define PARAMETER(variable) vftrace_parameter(&(variable), sizeof(variable), #variable)

/* Work that compilers cannot remove. */
static volatile long work_done;
static inline void work(void) { work_done = work_done + 1; }
#endif
