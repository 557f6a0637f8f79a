/* The stand-in for CUPTI: what stands in records. */
#include <string.h>
#include <unistd.h>

#include "standin_activity.h"

#define FILL(type, ...)                                                                            \
    do {                                                                                           \
        const struct type record = __VA_ARGS__;                                                    \
        memcpy(place, &record, bytes);                                                             \
    } while (0)

void fill_record(void* place, size_t bytes, enum record_kind kind, const struct work* work) {
    const int host_first = work->copy == host_to_device || work->copy == host_to_host;
    const int host_last = work->copy == device_to_host || work->copy == host_to_host;
    switch (work->kind) {
    case work_copy:
        FILL(memcpy_record, {.kind = kind,
                             .copyKind = (uint8_t)work->copy,
                             .srcKind = host_first ? 1 : 3,
                             .dstKind = host_last ? 1 : 3,
                             .bytes = work->bytes,
                             .start = work->start,
                             .end = work->end,
                             .deviceId = work->device,
                             .contextId = work->context,
                             .streamId = work->stream,
                             .correlationId = work->correlation,
                             .copyCount = 1,
                             .graphNodeId = work->graph_node});
        break;
    case work_peer_copy:
        FILL(memcpy2_record, {.kind = kind,
                              .copyKind = 10,
                              .srcKind = 3,
                              .dstKind = 3,
                              .bytes = work->bytes,
                              .start = work->start,
                              .end = work->end,
                              .deviceId = work->device,
                              .contextId = work->context,
                              .streamId = work->stream,
                              .srcDeviceId = work->from_device,
                              .dstDeviceId = work->to_device,
                              .correlationId = work->correlation,
                              .graphNodeId = work->graph_node});
        break;
    case work_set:
        FILL(memset_record, {.kind = kind,
                             .bytes = work->bytes,
                             .start = work->start,
                             .end = work->end,
                             .deviceId = work->device,
                             .contextId = work->context,
                             .streamId = work->stream,
                             .correlationId = work->correlation,
                             .memoryKind = 3,
                             .graphNodeId = work->graph_node});
        break;
    case work_migration:
        FILL(unified_memory_record,
             {.kind = kind,
              .counterKind = work->copy == host_to_device ? 1 : 2,
              .value = work->bytes,
              .start = work->start,
              .end = work->end,
              .srcId = work->copy == host_to_device ? 0xffffffff : work->device,
              .dstId = work->copy == host_to_device ? work->device : 0xffffffff,
              .processId = (uint32_t)getpid()});
        break;
    case work_kernel:
        FILL(kernel_record, {.kind = kind,
                             .start = work->start,
                             .end = work->end,
                             .deviceId = work->device,
                             .contextId = work->context,
                             .streamId = work->stream,
                             .gridX = 1,
                             .gridY = 1,
                             .gridZ = 1,
                             .blockX = 1,
                             .blockY = 1,
                             .blockZ = 1,
                             .correlationId = work->correlation,
                             .name = work->kernel,
                             .graphNodeId = work->graph_node});
        break;
    }
}

void fill_device_record(void* place, size_t bytes, uint32_t device, const char* name) {
    FILL(device_record, {.kind = kind_device, .id = device, .name = name});
}
