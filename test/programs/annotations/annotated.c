/* A program that is annotated for one other tool, INTERFACE: `outer` once, in it `inner` three
 * times, each with one call of work(). Functions are those of the tool's own headers, by their
 * binary interface. With WEAKLY they are weak, so that the program runs without the tool's library,
 * too. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEAKLY
#define TOOL __attribute__((weak))
#define CALL(function, ...) (function ? function(__VA_ARGS__) : 0)
#define CALL_VOID(function, ...) (function ? function(__VA_ARGS__) : (void)0)
#else
#define TOOL
#define CALL(function, ...) function(__VA_ARGS__)
#define CALL_VOID(function, ...) function(__VA_ARGS__)
#endif

static volatile double sum;

__attribute__((noinline)) void work(void) {
    for (int i = 1; i < 200000; i++)
        sum += 1.0 / i;
}

#if defined GPTL
int GPTLinitialize(void) TOOL;
int GPTLstart(const char*) TOOL;
int GPTLstop(const char*) TOOL;
int GPTLstart_handle(const char*, int*) TOOL;
int GPTLstop_handle(const char*, int*) TOOL;
int GPTLget_count(const char*, int, int*) TOOL;
int GPTLpr(int) TOOL;
int GPTLfinalize(void) TOOL;
static int handle;
#define BEGIN_OUTER CALL(GPTLinitialize), CALL(GPTLstart, "outer")
#define END_OUTER CALL(GPTLstop, "outer"), CALL(GPTLpr, 0), CALL(GPTLfinalize)
#define BEGIN_INNER CALL(GPTLstart_handle, "inner", &handle)
#define END_INNER CALL(GPTLstop_handle, "inner", &handle)
static void figures(void) {
    int count = -1;
    CALL(GPTLget_count, "inner", 0, &count);
    printf("count %d\n", count);
}
#define FIGURES figures()

#elif defined LIKWID
void likwid_markerInit(void) TOOL;
void likwid_markerThreadInit(void) TOOL;
int likwid_markerRegisterRegion(const char*) TOOL;
int likwid_markerStartRegion(const char*) TOOL;
int likwid_markerStopRegion(const char*) TOOL;
void likwid_markerGetRegion(const char*, int*, double*, double*, int*) TOOL;
void likwid_markerClose(void) TOOL;
#define BEGIN_OUTER                                                                                \
    CALL_VOID(likwid_markerInit), CALL_VOID(likwid_markerThreadInit),                              \
        CALL(likwid_markerStartRegion, "outer")
#define END_OUTER CALL(likwid_markerStopRegion, "outer"), CALL_VOID(likwid_markerClose)
#define BEGIN_INNER CALL(likwid_markerStartRegion, "inner")
#define END_INNER CALL(likwid_markerStopRegion, "inner")
static void figures(void) {
    int events = 4, count = -1;
    double values[4], time = 0;
    CALL_VOID(likwid_markerGetRegion, "inner", &events, values, &time, &count);
    printf("count %d\n", count);
}
#define FIGURES figures()

#elif defined ROCTX
void roctxMarkA(const char*) TOOL;
int roctxRangePushA(const char*) TOOL;
int roctxRangePop(void) TOOL;
uint64_t roctxRangeStartA(const char*) TOOL;
void roctxRangeStop(uint64_t) TOOL;
static uint64_t range;
#define BEGIN_OUTER range = CALL(roctxRangeStartA, "whole"), CALL(roctxRangePushA, "outer")
#define END_OUTER                                                                                  \
    CALL(roctxRangePop), CALL_VOID(roctxMarkA, "half"), CALL_VOID(roctxRangeStop, range)
#define BEGIN_INNER CALL(roctxRangePushA, "inner")
#define END_INNER CALL(roctxRangePop)

#elif defined PERFSTUBS
/* As the static part of PerfStubs looks for a tool. */
#include <dlfcn.h>
static void (*initialize)(void);
static void* (*timer_create)(const char*);
static void (*timer_start)(void*);
static void (*timer_stop)(void*);
static void (*start_string)(const char*);
static void (*stop_string)(const char*);
static void* (*create_counter)(const char*);
static void (*sample_counter)(void*, double);
static void (*set_metadata)(const char*, const char*);
static void* timer;
#define FIND(name) *(void**)&name = dlsym(RTLD_DEFAULT, "ps_tool_" #name)
static void find(void) {
    FIND(initialize);
    if (!initialize)
        return;
    FIND(timer_create), FIND(timer_start), FIND(timer_stop), FIND(start_string), FIND(stop_string);
    FIND(create_counter), FIND(sample_counter), FIND(set_metadata);
    initialize();
    void* counter = create_counter("bytes");
    sample_counter(counter, 3);
    sample_counter(counter, 5);
    set_metadata("mesh", "coarse");
    set_metadata("cells", "4096");
}
#define BEGIN_OUTER find(), (initialize ? start_string("outer") : (void)0)
#define END_OUTER (initialize ? stop_string("outer") : (void)0)
static void begin_inner(void) {
    if (!initialize)
        return;
    if (!timer)
        timer = timer_create("inner");
    timer_start(timer);
}
#define BEGIN_INNER begin_inner()
#define END_INNER (initialize ? timer_stop(timer) : (void)0)

#elif defined CALIPER
void cali_begin_region(const char*) TOOL;
void cali_end_region(const char*) TOOL;
uint64_t cali_make_loop_iteration_attribute(const char*) TOOL;
int cali_begin_int(uint64_t, int) TOOL;
int cali_end(uint64_t) TOOL;
int cali_begin_string_byname(const char*, const char*) TOOL;
int cali_end_byname(const char*) TOOL;
void cali_set_global_int_byname(const char*, int) TOOL;
static uint64_t iteration;
static int number;
#define BEGIN_OUTER                                                                                \
    CALL_VOID(cali_set_global_int_byname, "cells", 4096), CALL_VOID(cali_begin_region, "outer"),   \
        iteration = CALL(cali_make_loop_iteration_attribute, "steps")
#define END_OUTER CALL_VOID(cali_end_region, "outer")
#define BEGIN_INNER                                                                                \
    CALL(cali_begin_int, iteration, ++number), CALL(cali_begin_string_byname, "annotation", "inner")
#define END_INNER CALL(cali_end_byname, "annotation"), CALL(cali_end, iteration)

#elif defined SCOREP
typedef struct SCOREP_User_Region* Handle;
void SCOREP_User_RegionBegin(Handle*, const char**, uint32_t*, const char*, uint32_t, const char*,
                             uint32_t) TOOL;
void SCOREP_User_RegionEnd(Handle) TOOL;
void SCOREP_User_RegionByNameBegin(const char*, uint32_t, const char*, uint32_t) TOOL;
void SCOREP_User_RegionByNameEnd(const char*) TOOL;
static Handle handle;
static const char* last_file_name;
static uint32_t last_file;
#define BEGIN_OUTER CALL_VOID(SCOREP_User_RegionByNameBegin, "outer", 0, __FILE__, __LINE__)
#define END_OUTER CALL_VOID(SCOREP_User_RegionByNameEnd, "outer")
#define BEGIN_INNER                                                                                \
    CALL_VOID(SCOREP_User_RegionBegin, &handle, &last_file_name, &last_file, "inner", 2, __FILE__, \
              __LINE__)
#define END_INNER CALL_VOID(SCOREP_User_RegionEnd, handle)

#elif defined TAU
void Tau_start(const char*) TOOL;
void Tau_stop(const char*) TOOL;
void Tau_profile_c_timer(void**, const char*, const char*, uint64_t, const char*) TOOL;
void Tau_lite_start_timer(void*, int) TOOL;
void Tau_lite_stop_timer(void*) TOOL;
static void* timer;
#define BEGIN_OUTER CALL_VOID(Tau_start, "outer")
#define END_OUTER CALL_VOID(Tau_stop, "outer")
#define BEGIN_INNER                                                                                \
    CALL_VOID(Tau_profile_c_timer, &timer, "inner", "", 1, "TAU_USER"),                            \
        CALL_VOID(Tau_lite_start_timer, timer, 0)
#define END_INNER CALL_VOID(Tau_lite_stop_timer, timer)

#elif defined EXTRAE
void Extrae_define_event_type(unsigned*, char*, unsigned*, unsigned long long*, char**) TOOL;
void Extrae_event(unsigned, unsigned long long) TOOL;
static void define(void) {
    unsigned type = 1000, count = 2;
    unsigned long long values[] = {0, 1};
    char* names[] = {"end", "outer"};
    CALL_VOID(Extrae_define_event_type, &type, "phases", &count, values, names);
    type = 2000, count = 0;
    CALL_VOID(Extrae_define_event_type, &type, "inner", &count, NULL, NULL);
}
#define BEGIN_OUTER define(), CALL_VOID(Extrae_event, 1000, 1)
#define END_OUTER CALL_VOID(Extrae_event, 1000, 0)
#define BEGIN_INNER CALL_VOID(Extrae_event, 2000, 7)
#define END_INNER CALL_VOID(Extrae_event, 2000, 0)

#elif defined DLB
void* DLB_MonitoringRegionRegister(const char*) TOOL;
int DLB_MonitoringRegionStart(void*) TOOL;
int DLB_MonitoringRegionStop(void*) TOOL;
static void *outer, *inner;
#define BEGIN_OUTER                                                                                \
    outer = (void*)CALL(DLB_MonitoringRegionRegister, "outer"),                                    \
    inner = (void*)CALL(DLB_MonitoringRegionRegister, "inner"),                                    \
    CALL(DLB_MonitoringRegionStart, outer)
#define END_OUTER CALL(DLB_MonitoringRegionStop, outer)
#define BEGIN_INNER CALL(DLB_MonitoringRegionStart, inner)
#define END_INNER CALL(DLB_MonitoringRegionStop, inner)
#endif

#ifndef FIGURES
#define FIGURES (void)0
#endif

int main(void) {
    BEGIN_OUTER;
    for (int i = 0; i < 3; i++) {
        BEGIN_INNER;
        work();
        END_INNER;
    }
    FIGURES;
    END_OUTER;
    printf("done %d\n", sum > 1);
    return 3;
}
