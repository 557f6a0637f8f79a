// A marked region with parallel and serial parts, serial code outside, and a parallel region by
// itself.

#include <vftrace.h>

#include "work_for.h"

int main(void) {
    work_for(0.4);
    vftrace_region_begin("A");
#pragma omp parallel
    work_for(0.1);
    work_for(0.2);
#pragma omp parallel
    work_for(0.1);
    vftrace_region_end("A");
    work_for(0.2);
#pragma omp parallel
    work_for(0.2);
    return 0;
}
