// A stand-in for NVIDIA's management library (libnvidia-ml.so.1).
#include "standin_management.h"

enum { success = 0, invalid_argument = 2, not_supported = 3, no_permission = 4 };
static int is_open;

// Handles are numbers from 1 on.
static int device_of(void* handle) { return (int)(long)handle - 1; }

int nvmlInit_v2(void) {
    const int error = (int)standin_or("init_error", -1, 0);
    is_open += error == 0;
    return error;
}
int nvmlShutdown(void) {
    if (standin_or("tells_end", -1, 0))
        fprintf(stderr, "nvmlShutdown\n");
    is_open--;
    return success;
}
const char* nvmlErrorString(int error) {
    return error == not_supported   ? "Not Supported"
           : error == no_permission ? "Insufficient Permissions"
           : error == 9             ? "Driver Not Loaded"
                                    : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = (unsigned)standin_or("devices", -1, 0);
    return is_open ? success : 1;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
    *handle = (void*)(long)(index + 1);
    return (int)standin_or("handle_error", (int)index, success);
}

static int figure(const char* name, void* handle, long long* number) {
    const int error = (int)standin_or("error", device_of(handle), success);
    if (!is_open || error)
        return is_open ? error : 1;
    return standin_number(name, device_of(handle), number) ? success : not_supported;
}

int nvmlDeviceGetTotalEnergyConsumption(void* handle, unsigned long long* millijoules) {
    long long number = 0;
    const int status = figure("energy", handle, &number);
    *millijoules = (unsigned long long)number;
    return status;
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
    long long number = 0;
    const int status = figure("power", handle, &number);
    *milliwatts = (unsigned)number;
    return status;
}
int nvmlDeviceGetClockInfo(void* handle, int type, unsigned* megahertz) {
    long long number = 0;
    const int status = figure(type == 1 ? "clock" : "other_clock", handle, &number);
    *megahertz = (unsigned)number;
    return status;
}
int nvmlDeviceGetTemperature(void* handle, int sensor, unsigned* degrees) {
    long long number = 0;
    const int status = figure("temperature", handle, &number);
    *degrees = (unsigned)number;
    return sensor == 0 ? status : invalid_argument;
}
int nvmlDeviceGetUtilizationRates(void* handle, unsigned* percent) {
    long long number = 0;
    const int status = figure("busy", handle, &number);
    percent[0] = (unsigned)number;
    percent[1] = 99;  // of memory
    return status;
}
