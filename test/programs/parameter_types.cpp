// VFTRACE_PARAMETER in C++: includes <vftrace.h>.
#include "parameter_types.c"
