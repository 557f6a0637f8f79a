// A program for perf-taint, like its examples: it marks parameters with perf-taint's names. Linked
// like programs that include vftrace.h.
#include <cstdio>
#include <cstdlib>

#include <perf-taint/PerfTaint.hpp>

struct grid {
    int nx, ny, nz;
};

int main(int argc, char** argv) {
    int x1 EXTRAP = std::atoi(argv[1]);
    double x2 EXTRAP = 2 * x1;
    grid domain EXTRAP = {x1, x1, x1};
    int* reference EXTRAP = &x1;
    perf_taint::register_variable(&x1, VARIABLE_NAME(x1));
    perf_taint::register_variable(&x2, VARIABLE_NAME(x2));
    perf_taint::register_variable(&domain, VARIABLE_NAME(domain));
    perf_taint::register_variable(&reference, VARIABLE_NAME(reference));
    std::printf("%d %g %d\n", x1, x2, argc + domain.nx - *reference);
}
