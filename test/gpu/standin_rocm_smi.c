// A stand-in for AMD's management library (librocm_smi64.so), version STANDIN_VERSION.
#include <stdbool.h>
#include <stdint.h>

#include "standin_management.h"

enum { success = 0, not_supported = 2 };

int rsmi_init(uint64_t flags) { return flags == 0 ? (int)standin_or("init_error", -1, 0) : 1; }
int rsmi_shut_down(void) { return success; }
int rsmi_status_string(int status, const char** text) {
    *text = status == not_supported ? "RSMI_STATUS_NOT_SUPPORTED" : "RSMI_STATUS_INIT_ERROR";
    return success;
}
int rsmi_num_monitor_devices(uint32_t* count) {
    *count = (uint32_t)standin_or("devices", -1, 0);
    return success;
}
struct version {
    uint32_t major, minor, patch;
    const char* build;
};
int rsmi_version_get(struct version* version) {
    version->major = STANDIN_VERSION;
    return success;
}

static int figure(const char* name, uint32_t device, long long* number) {
    return standin_number(name, (int)device, number) ? success : not_supported;
}

int rsmi_dev_energy_count_get(uint32_t device, uint64_t* count, float* unit, uint64_t* when) {
    long long number = 0;
    const int status = figure("energy", device, &number);
    *count = (uint64_t)number;
    *unit = 15.25F;
    *when = 1;
    return status;
}
#if STANDIN_VERSION >= 6
int rsmi_dev_power_get(uint32_t device, uint64_t* microwatts, int* kind) {
    long long number = 0;
    const int status = figure("power", device, &number);
    *microwatts = (uint64_t)number;
    *kind = 1;
    return status;
}
#endif
int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t* microwatts) {
    long long number = 0;
    const int status = figure("average_power", device, &number);
    *microwatts = (uint64_t)number;
    return sensor == 0 ? status : not_supported;
}
int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t* millidegrees) {
    long long number = 0;
    const int status = figure(sensor == 1 ? "junction" : "edge", device, &number);
    *millidegrees = number;
    return metric == 0 ? status : not_supported;
}
int rsmi_dev_busy_percent_get(uint32_t device, uint32_t* percent) {
    long long number = 0;
    const int status = figure("busy", device, &number);
    *percent = (uint32_t)number;
    return status;
}

struct frequencies {
#if STANDIN_VERSION >= 6
    bool has_deep_sleep;
    uint32_t count, current;
    uint64_t hz[33];
#else
    uint32_t count, current;
    uint64_t hz[32];
#endif
};
int rsmi_dev_gpu_clk_freq_get(uint32_t device, int clock, struct frequencies* all) {
    long long number = 0;
    const int status = figure("clock", device, &number);
    memset(all, 0, sizeof *all);
    all->count = 3;
    all->current = (uint32_t)standin_or("current", (int)device, 1);
    all->hz[0] = 500000000;
    all->hz[1] = (uint64_t)number;
    return clock == 0 ? status : not_supported;
}
