/* Activity records of CUPTI 13, and the shorter ones of older versions: records grow at their end.
 * test_gpu.py compares this with CUPTI's headers if they are installed. */
#pragma once

#include <stdint.h>

#define CUPTI_RECORD __attribute__((packed, aligned(8)))

enum record_kind {
    kind_memcpy = 1,
    kind_memset = 2,
    kind_kernel = 3,
    kind_device = 8,
    kind_concurrent_kernel = 10,
    kind_memcpy2 = 22,
    kind_unified_memory = 25,
    kind_unknown = 90,
    record_kinds
};

struct memcpy_record {
    uint32_t kind;
    uint8_t copyKind, srcKind, dstKind, flags;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, pad;
    void* reserved0;
    uint64_t graphNodeId;
    uint32_t graphId, channelID, channelType, more;
    uint64_t copyCount;
} CUPTI_RECORD;

struct memcpy2_record {
    uint32_t kind;
    uint8_t copyKind, srcKind, dstKind, flags;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, srcDeviceId, srcContextId, dstDeviceId, dstContextId;
    uint32_t correlationId;
    void* reserved0;
    uint64_t graphNodeId;
    uint32_t graphId, channelID, channelType, more;
} CUPTI_RECORD;

struct memset_record {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t deviceId, contextId, streamId, correlationId;
    uint16_t flags, memoryKind;
    uint32_t pad;
    void* reserved0;
    uint64_t graphNodeId;
    uint32_t graphId, channelID, channelType, more;
} CUPTI_RECORD;

struct kernel_record {
    uint32_t kind;
    uint8_t cacheConfig, sharedMemoryConfig;
    uint16_t registersPerThread;
    uint32_t partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
    uint64_t start, end, completed;
    uint32_t deviceId, contextId, streamId;
    int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
    int32_t staticSharedMemory, dynamicSharedMemory;
    uint32_t localMemoryPerThread, localMemoryTotal, correlationId;
    int64_t gridId;
    const char* name;
    void* reserved0;
    uint64_t queued, submitted;
    uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
    uint32_t sharedMemoryExecuted;
    uint64_t graphNodeId;
    uint8_t more[64];
} CUPTI_RECORD;

struct unified_memory_record {
    uint32_t kind, counterKind;
    uint64_t value, start, end, address;
    uint32_t srcId, dstId, streamId, processId, flags, pad;
    uint64_t processors[5];
} CUPTI_RECORD;

struct device_record {
    uint32_t kind, flags;
    uint64_t globalMemoryBandwidth, globalMemorySize;
    uint32_t figures[22]; /* cores, clocks, limits */
    uint32_t id, eccEnabled;
    uint8_t uuid[16];
    const char* name;
    uint8_t more[40];
} CUPTI_RECORD;

enum generation { cuda_11, cuda_12, cuda_13, generations };

/* The size of a record in bytes, by its kind and generation. */
static const uint16_t record_bytes[record_kinds][generations] = {
    [kind_memcpy] = {72, 88, 96},
    [kind_memset] = {72, 88, 88},
    [kind_kernel] = {160, 208, 216},
    [kind_device] = {152, 176, 184},
    [kind_concurrent_kernel] = {160, 208, 216},
    [kind_memcpy2] = {80, 96, 96},
    [kind_unified_memory] = {64, 64, 104},
    [kind_unknown] = {40, 40, 40},
};
