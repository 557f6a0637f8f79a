/* The stand-in for CUPTI: the contents of records. */
#include <string.h>
#include <unistd.h>

#include "standin_activity.h"

enum { pageable = 1, on_device = 3 }; /* kinds of memory */
static const uint32_t the_host = 0xffffffff;
enum { peer_to_peer = 10 };

#define FILL(type, ...)                                                                            \
    do {                                                                                           \
        const struct type record = __VA_ARGS__;                                                    \
        memcpy(place, &record, bytes);                                                             \
    } while (0)

/* The members that all records of work have. */
#define WORK_FIELDS                                                                                \
    .kind = kind, .start = work->start, .end = work->end, .deviceId = work->device,                \
    .contextId = work->context, .streamId = work->stream, .correlationId = work->correlation,      \
    .graphNodeId = work->graph_node

void fill_record(void* place, size_t bytes, enum record_kind kind, const struct work* work) {
    const int to_device = work->copy == host_to_device;
    const uint8_t from = to_device || work->copy == host_to_host ? pageable : on_device;
    const uint8_t to =
        work->copy == device_to_host || work->copy == host_to_host ? pageable : on_device;
    switch (work->kind) {
    case work_copy:
        FILL(memcpy_record, {WORK_FIELDS, .bytes = work->bytes, .copyKind = (uint8_t)work->copy,
                             .srcKind = from, .dstKind = to, .copyCount = 1});
        break;
    case work_peer_copy:
        FILL(memcpy2_record, {WORK_FIELDS, .bytes = work->bytes, .copyKind = peer_to_peer,
                              .srcKind = on_device, .dstKind = on_device,
                              .srcDeviceId = work->from_device, .dstDeviceId = work->to_device});
        break;
    case work_set:
        FILL(memset_record, {WORK_FIELDS, .bytes = work->bytes, .memoryKind = on_device});
        break;
    case work_migration:
        FILL(unified_memory_record, {.kind = kind,
                                     .counterKind = (uint32_t)work->copy,
                                     .value = work->bytes,
                                     .start = work->start,
                                     .end = work->end,
                                     .srcId = to_device ? the_host : work->device,
                                     .dstId = to_device ? work->device : the_host,
                                     .processId = (uint32_t)getpid()});
        break;
    case work_kernel:
        FILL(kernel_record, {WORK_FIELDS, .gridX = 1, .gridY = 1, .gridZ = 1, .blockX = 1,
                             .blockY = 1, .blockZ = 1, .name = work->kernel});
        break;
    }
}

void fill_device_record(void* place, size_t bytes, uint32_t device, const char* name) {
    FILL(device_record, {.kind = kind_device, .id = device, .name = name});
}
