/* Stands for the libraries of other tools: each function counts its calls, and the end prints them,
 * so that tests see that the library goes on to work. Functions of a tool call others of it, as the
 * real ones do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char* name;
    int calls;
} known[64];

static void note(const char* name) {
    int i = 0;
    while (known[i].name && strcmp(known[i].name, name) != 0)
        i++;
    known[i].name = name;
    known[i].calls++;
}
#define NOTE note(__func__)

__attribute__((destructor)) static void print_calls(void) {
    for (int i = 0; known[i].name; i++)
        printf("%s %d\n", known[i].name, known[i].calls);
}

/* GPTL: one timer, by name. */
static int timers_started;
int GPTLinitialize(void) {
    NOTE;
    return 0;
}
__attribute__((noinline)) int GPTLstart(const char* name) {
    if (!name)
        return -1;
    NOTE;
    timers_started++;
    return 0;
}
__attribute__((noinline)) int GPTLstop(const char* name) {
    if (!name || timers_started == 0)
        return -1;
    NOTE;
    return 0;
}
int GPTLstart_handle(const char* name, int* handle) {
    NOTE;
    *handle = 17;
    return GPTLstart(name);
}
int GPTLstop_handle(const char* name, int* handle) {
    NOTE;
    return *handle == 17 ? GPTLstop(name) : -1;
}
int GPTLget_count(const char* name, int thread, int* count) {
    NOTE;
    *count = timers_started - 1;
    return 0;
}
int GPTLpr(int number) {
    NOTE;
    return 0;
}
int GPTLfinalize(void) {
    NOTE;
    return 0;
}

void likwid_markerInit(void) { NOTE; }
void likwid_markerThreadInit(void) { NOTE; }
int likwid_markerRegisterRegion(const char* tag) {
    NOTE;
    return 0;
}
int likwid_markerStartRegion(const char* tag) {
    NOTE;
    return 0;
}
int likwid_markerStopRegion(const char* tag) {
    NOTE;
    return 0;
}
void likwid_markerGetRegion(const char* tag, int* events, double* values, double* time,
                            int* count) {
    NOTE;
    *count = 3;
}
void likwid_markerClose(void) { NOTE; }

void roctxMarkA(const char* text) { NOTE; }
int roctxRangePushA(const char* text) {
    NOTE;
    return 0;
}
int roctxRangePop(void) {
    NOTE;
    return 0;
}
uint64_t roctxRangeStartA(const char* text) {
    NOTE;
    return 77;
}
void roctxRangeStop(uint64_t id) {
    NOTE;
    if (id != 77)
        printf("wrong range\n");
}

void cali_begin_region(const char* name) { NOTE; }
void cali_end_region(const char* name) { NOTE; }
uint64_t cali_make_loop_iteration_attribute(const char* name) {
    NOTE;
    return 5;
}
int cali_begin_int(uint64_t id, int number) {
    NOTE;
    return 0;
}
int cali_end(uint64_t id) {
    NOTE;
    return 0;
}
int cali_begin_string_byname(const char* attribute, const char* value) {
    NOTE;
    return 0;
}
int cali_end_byname(const char* attribute) {
    NOTE;
    return 0;
}
void cali_set_global_int_byname(const char* name, int value) { NOTE; }

struct Region {
    char name[64];
};
void SCOREP_User_RegionBegin(struct Region** handle, const char** last_name, uint32_t* last,
                             const char* name, uint32_t type, const char* file, uint32_t line) {
    NOTE;
    if (!*handle) {
        *handle = calloc(1, sizeof **handle);
        strncpy((*handle)->name, name, 63);
    }
}
void SCOREP_User_RegionEnd(struct Region* handle) { NOTE; }
void SCOREP_User_RegionByNameBegin(const char* name, uint32_t type, const char* file,
                                   uint32_t line) {
    NOTE;
}
void SCOREP_User_RegionByNameEnd(const char* name) { NOTE; }

void Tau_profile_c_timer(void** timer, const char* name, const char* type, uint64_t group,
                         const char* group_name) {
    NOTE;
    if (!*timer)
        *timer = strdup(name);
}
void Tau_lite_start_timer(void* timer, int phase) { NOTE; }
void Tau_lite_stop_timer(void* timer) { NOTE; }
void Tau_start(const char* name) {
    NOTE;
    Tau_lite_start_timer((void*)name, 0);
}
void Tau_stop(const char* name) {
    NOTE;
    Tau_lite_stop_timer((void*)name);
}

void Extrae_define_event_type(unsigned* type, char* text, unsigned* count,
                              unsigned long long* values, char** texts) {
    NOTE;
}
void Extrae_event(unsigned type, unsigned long long value) { NOTE; }

void* DLB_MonitoringRegionRegister(const char* name) {
    NOTE;
    return strdup(name);
}
int DLB_MonitoringRegionStart(void* region) {
    NOTE;
    return 0;
}
int DLB_MonitoringRegionStop(void* region) {
    NOTE;
    return 0;
}
