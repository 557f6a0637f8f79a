/* Prints "NAME NS" for each interface: what a pair of begin and end takes in the fastest of 60
 * parts. The functions are weak, and those of libvftrace_annotations when that is preloaded. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define WEAK __attribute__((weak))
int GPTLstart(const char*) WEAK;
int GPTLstop(const char*) WEAK;
void cali_begin_region(const char*) WEAK;
void cali_end_region(const char*) WEAK;
int likwid_markerStartRegion(const char*) WEAK;
int likwid_markerStopRegion(const char*) WEAK;
int roctxRangePushA(const char*) WEAK;
int roctxRangePop(void) WEAK;
void* ps_tool_timer_create(const char*) WEAK;
void ps_tool_timer_start(void*) WEAK;
void ps_tool_timer_stop(void*) WEAK;
void Tau_start(const char*) WEAK;
void Tau_stop(const char*) WEAK;
void SCOREP_User_RegionByNameBegin(const char*, uint32_t, const char*, uint32_t) WEAK;
void SCOREP_User_RegionByNameEnd(const char*) WEAK;
void* DLB_MonitoringRegionRegister(const char*) WEAK;
int DLB_MonitoringRegionStart(void*) WEAK;
int DLB_MonitoringRegionStop(void*) WEAK;
void Extrae_event(unsigned, unsigned long long) WEAK;
void kokkosp_push_profile_region(const char*) WEAK;
void kokkosp_pop_profile_region(void) WEAK;
void kokkosp_begin_parallel_for(const char*, uint32_t, uint64_t*) WEAK;
void kokkosp_end_parallel_for(uint64_t) WEAK;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define NAME "solver of pressure"
#define ROW(name, begin, end)                                                                      \
    do {                                                                                           \
        enum { parts = 60, pairs = 10000 };                                                        \
        double least = 1e9;                                                                        \
        for (int part = 0; part < parts; part++) {                                                 \
            const double start = now();                                                            \
            for (int i = 0; i < pairs; i++) {                                                      \
                begin;                                                                             \
                end;                                                                               \
            }                                                                                      \
            const double each = (now() - start) / pairs;                                           \
            if (each < least)                                                                      \
                least = each;                                                                      \
        }                                                                                          \
        printf(name " %.2f\n", least);                                                             \
    } while (0)

int main(void) {
    if (!GPTLstart)
        return 1;
    uint64_t kernel = 0;
    void* const timer = ps_tool_timer_create(NAME);
    void* const region = DLB_MonitoringRegionRegister(NAME);
    ROW("gptl", GPTLstart(NAME), GPTLstop(NAME));
    ROW("caliper", cali_begin_region(NAME), cali_end_region(NAME));
    ROW("likwid", likwid_markerStartRegion(NAME), likwid_markerStopRegion(NAME));
    ROW("roctx", roctxRangePushA(NAME), roctxRangePop());
    ROW("perfstubs", ps_tool_timer_start(timer), ps_tool_timer_stop(timer));
    ROW("tau", Tau_start(NAME), Tau_stop(NAME));
    ROW("scorep", SCOREP_User_RegionByNameBegin(NAME, 0, "", 1), SCOREP_User_RegionByNameEnd(NAME));
    ROW("dlb", DLB_MonitoringRegionStart(region), DLB_MonitoringRegionStop(region));
    ROW("extrae", Extrae_event(1000, 1), Extrae_event(1000, 0));
    ROW("kokkos", kokkosp_push_profile_region(NAME), kokkosp_pop_profile_region());
    ROW("kokkos-kernel", kokkosp_begin_parallel_for(NAME, 1u << 24, &kernel),
        kokkosp_end_parallel_for(kernel));
    return 0;
}
