// The values of the stand-ins for the GPU management libraries, NVML and ROCm SMI: a file, named by
// STANDIN_GPUS, with lines such as "devices 2" and "energy0 5000", which is read at each call.
// A value without a line is not supported by the device.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns whether there is such a line.
static int standin_number(const char* name, int device, long long* number) {
    const char* path = getenv("STANDIN_GPUS");
    FILE* file = path ? fopen(path, "r") : NULL;
    char wanted[64], word[64];
    long long value;
    int found = 0;
    if (!file)
        return 0;
    if (device < 0)
        snprintf(wanted, sizeof wanted, "%s", name);
    else
        snprintf(wanted, sizeof wanted, "%s%d", name, device);
    while (!found && fscanf(file, "%63s %lld", word, &value) == 2)
        if (strcmp(word, wanted) == 0) {
            *number = value;
            found = 1;
        }
    fclose(file);
    return found;
}

// The number, or `otherwise` if there is none.
static long long standin_or(const char* name, int device, long long otherwise) {
    long long number = otherwise;
    standin_number(name, device, &number);
    return number;
}
