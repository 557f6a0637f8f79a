/* Heat conduction in a rod, annotated for three tools: Caliper, GPTL and LIKWID. Their functions
 * are weak, as in many codes, so that the program is built and runs without the tools' libraries.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))
void cali_begin_region(const char* name) WEAK;
void cali_end_region(const char* name) WEAK;
void cali_set_global_int_byname(const char* name, int value) WEAK;
uint64_t cali_make_loop_iteration_attribute(const char* name) WEAK;
int cali_begin_int(uint64_t attribute, int value) WEAK;
int cali_end(uint64_t attribute) WEAK;
int GPTLstart(const char* name) WEAK;
int GPTLstop(const char* name) WEAK;
int likwid_markerStartRegion(const char* name) WEAK;
int likwid_markerStopRegion(const char* name) WEAK;

#define IF(function, ...) (function ? (void)function(__VA_ARGS__) : (void)0)

static void initialize(double* u, int n) {
    IF(GPTLstart, "initialize");
    for (int i = 0; i < n; i++)
        u[i] = i == n / 2;
    IF(GPTLstop, "initialize");
}

static void step(const double* u, double* v, int n) {
    IF(cali_begin_region, "stencil");
    IF(likwid_markerStartRegion, "stencil"); /* the same place, for another tool */
    for (int i = 1; i < n - 1; i++)
        v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
    IF(likwid_markerStopRegion, "stencil");
    IF(cali_end_region, "stencil");
}

static double norm(const double* u, int n) {
    IF(GPTLstart, "norm");
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i] * u[i];
    IF(GPTLstop, "norm");
    return sum;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000000, steps = 200;
    double* u = calloc((size_t)n, sizeof *u);
    double* v = calloc((size_t)n, sizeof *v);
    if (!u || !v)
        return 1;
    IF(cali_set_global_int_byname, "points", n);
    initialize(u, n);
    const uint64_t iteration =
        cali_make_loop_iteration_attribute ? cali_make_loop_iteration_attribute("steps") : 0;
    IF(cali_begin_region, "steps");
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        IF(cali_begin_int, iteration, i);
        step(u, v, n);
        double* const old = u;
        u = v;
        v = old;
        if (i % 10 == 0)
            sum = norm(u, n);
        IF(cali_end, iteration);
    }
    IF(cali_end_region, "steps");
    printf("%.6f\n", sum);
    free(u);
    free(v);
    return 0;
}
