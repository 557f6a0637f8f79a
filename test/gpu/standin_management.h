// What the stand-ins for the libraries that manage GPUs, NVML and ROCm SMI, say: a file, named by
// STANDIN_GPUS, of lines "devices 2", "energy0 5000", which is read anew at each call. What has no
// line is not supported by the device.
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

// The number, or `otherwise`.
static long long standin_or(const char* name, int device, long long otherwise) {
    long long number = otherwise;
    standin_number(name, device, &number);
    return number;
}
