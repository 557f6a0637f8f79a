/* Annotates wrongly, with functions of several interfaces whose libraries it does not have, in an
 * order that the number given determines: ends without beginnings, ends in the wrong order, on
 * other threads, after longjmp and fork, names that are no texts, from a signal handler, before
 * main and at exit. Prints nothing but that it has ended. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#define CALL(function, ...) (function ? (void)function(__VA_ARGS__) : (void)0)
int GPTLstart(const char*) WEAK;
int GPTLstop(const char*) WEAK;
void cali_begin_region(const char*) WEAK;
void cali_end_region(const char*) WEAK;
int cali_end(uint64_t) WEAK;
int likwid_markerStartRegion(const char*) WEAK;
int likwid_markerStopRegion(const char*) WEAK;
int roctxRangePushA(const char*) WEAK;
int roctxRangePop(void) WEAK;
void roctxRangeStop(uint64_t) WEAK;
uint64_t roctxRangeStartA(const char*) WEAK;
void Tau_lite_start_timer(void*, int) WEAK;
void Tau_lite_stop_timer(void*) WEAK;
void tau_start_(const char*, int) WEAK;
void tau_stop_(const char*, int) WEAK;
void SCOREP_User_RegionEnd(void*) WEAK;
void SCOREP_User_RegionBegin(void**, const char**, uint32_t*, const char*, uint32_t, const char*,
                             uint32_t) WEAK;
void Extrae_event(unsigned, unsigned long long) WEAK;
int DLB_MonitoringRegionStop(void*) WEAK;
void ps_tool_timer_stop(void*) WEAK;
void ps_tool_stop_current(void) WEAK;

static unsigned state;
static unsigned draw(unsigned below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

static char long_name[100001];
static const char* name(void) {
    static char made[32];
    switch (draw(8)) {
    case 0:
        return NULL;
    case 1:
        return "";
    case 2:
        return long_name;
    case 3:
        return "\xff\xfe broken \x80";
    case 4:
        snprintf(made, sizeof made, "iter %u", draw(1000));
        return made;
    default:
        return (const char*[]){"a", "b", "c"}[draw(3)];
    }
}

static jmp_buf place;
static void step(int depth) {
    switch (draw(22)) {
    case 0:
        CALL(GPTLstart, name());
        break;
    case 1:
        CALL(GPTLstop, name());
        break;
    case 2:
        CALL(cali_begin_region, name());
        break;
    case 3:
        CALL(cali_end_region, name());
        break;
    case 4:
        CALL(likwid_markerStartRegion, name());
        break;
    case 5:
        CALL(likwid_markerStopRegion, name());
        break;
    case 6:
        CALL(roctxRangePushA, name());
        break;
    case 7:
        CALL(roctxRangePop);
        break;
    case 8:
        CALL(roctxRangeStartA, name());
        break;
    case 9:
        CALL(roctxRangeStop, draw(50));
        break;
    case 10:
        CALL(Tau_lite_start_timer, &state, 0);
        break;
    case 11:
        CALL(Tau_lite_stop_timer, &state);
        break;
    case 12:
        CALL(tau_start_, "fortran    ", 11);
        break;
    case 13:
        CALL(tau_stop_, "fortran", 7);
        break;
    case 14:
        CALL(SCOREP_User_RegionEnd, &state);
        break;
    case 15: {
        static void* handle;
        CALL(SCOREP_User_RegionBegin, &handle, NULL, NULL, "scorep", 0, "file", 1);
        break;
    }
    case 16:
        CALL(Extrae_event, draw(40), draw(3));
        break;
    case 17:
        CALL(DLB_MonitoringRegionStop, &state);
        break;
    case 18:
        CALL(ps_tool_timer_stop, &state);
        break;
    case 19:
        CALL(ps_tool_stop_current);
        break;
    case 20:
        CALL(cali_end, draw(100));
        break;
    case 21:
        if (depth < 5) {
            step(depth + 1);
            step(depth + 1);
        }
    }
    if (draw(40) == 0)
        longjmp(place, 1);
}

static void handler(int number) {
    CALL(GPTLstart, "handler"), CALL(GPTLstop, number ? "handler" : "");
}

static void* thread(void* argument) {
    CALL(GPTLstop, "of main");
    for (int i = 0; i < 20; i++) {
        CALL(cali_begin_region, i % 3 ? "in thread" : "x");
        CALL(cali_end_region, "in thread");
    }
    return argument;
}

__attribute__((constructor)) static void before_main(void) { CALL(GPTLstart, "before main"); }
__attribute__((destructor)) static void after_main(void) {
    CALL(GPTLstop, "before main"), CALL(GPTLstart, "after main");
}

int main(int argc, char** argv) {
    state = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    memset(long_name, 'n', sizeof long_name - 1);
    signal(SIGUSR1, handler);
    CALL(GPTLstart, "of main");
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    static volatile int i; /* goes on after longjmp */
    setjmp(place);
    while (i++ < 400) {
        step(0);
        if (i % 50 == 0)
            raise(SIGUSR1);
    }
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 50; i++)
            CALL(GPTLstop, "a"), CALL(GPTLstart, "in child");
        exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(id, NULL);
    printf("ended\n");
    return 3;
}
