/* Compares the stand-ins with the headers of CUPTI 13: this compiles if they agree. */
#include <cupti.h>

#include "cupti_records.h"
#include "standin_cupti.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is not " #b)
#define FIELD(kind, type, field) SAME(offsetof(struct kind##_record, field), offsetof(type, field));

/* X(record, its type in CUPTI 13, field) */
#define COMMON_FIELDS(X, record, type)                                                             \
    X(record, type, kind)                                                                          \
    X(record, type, start)                                                                         \
    X(record, type, end)
#define WORK_FIELDS(X, record, type)                                                               \
    COMMON_FIELDS(X, record, type)                                                                 \
    X(record, type, deviceId)                                                                      \
    X(record, type, contextId)                                                                     \
    X(record, type, streamId)                                                                      \
    X(record, type, correlationId)                                                                 \
    X(record, type, graphNodeId)
/* The types of a record in CUDA 11.0, 12.0 and 13.0 have these fields at the same places. */
#define RECORD(fields, record, of_11, of_12, of_13)                                                \
    fields(FIELD, record, of_11) fields(FIELD, record, of_12) fields(FIELD, record, of_13)         \
        SAME(sizeof(struct record##_record), sizeof(of_13));

RECORD(WORK_FIELDS, kernel, CUpti_ActivityKernel5, CUpti_ActivityKernel9, CUpti_ActivityKernel10)
RECORD(WORK_FIELDS, memcpy, CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6)
RECORD(WORK_FIELDS, memcpy2, CUpti_ActivityMemcpyPtoP2, CUpti_ActivityMemcpyPtoP4,
       CUpti_ActivityMemcpyPtoP4)
RECORD(WORK_FIELDS, memset, CUpti_ActivityMemset2, CUpti_ActivityMemset4, CUpti_ActivityMemset4)
RECORD(COMMON_FIELDS, unified_memory, CUpti_ActivityUnifiedMemoryCounter2,
       CUpti_ActivityUnifiedMemoryCounter2, CUpti_ActivityUnifiedMemoryCounter3)
FIELD(kernel, CUpti_ActivityKernel10, name)
FIELD(memcpy, CUpti_ActivityMemcpy6, copyKind)
FIELD(memcpy, CUpti_ActivityMemcpy6, bytes)
FIELD(memcpy2, CUpti_ActivityMemcpyPtoP4, bytes)
FIELD(memcpy2, CUpti_ActivityMemcpyPtoP4, srcDeviceId)
FIELD(memcpy2, CUpti_ActivityMemcpyPtoP4, dstDeviceId)
FIELD(memset, CUpti_ActivityMemset4, bytes)
FIELD(unified_memory, CUpti_ActivityUnifiedMemoryCounter3, counterKind)
FIELD(unified_memory, CUpti_ActivityUnifiedMemoryCounter3, value)
FIELD(unified_memory, CUpti_ActivityUnifiedMemoryCounter3, srcId)
FIELD(unified_memory, CUpti_ActivityUnifiedMemoryCounter3, dstId)
FIELD(device, CUpti_ActivityDevice5, id)
FIELD(device, CUpti_ActivityDevice5, name)
SAME(sizeof(struct device_record), sizeof(CUpti_ActivityDevice5));

SAME(sizeof(struct callback_data), sizeof(CUpti_CallbackData));
SAME(offsetof(struct callback_data, correlation), offsetof(CUpti_CallbackData, correlationId));
SAME(offsetof(struct callback_data, symbol), offsetof(CUpti_CallbackData, symbolName));
SAME(offsetof(struct callback_data, correlation_data),
     offsetof(CUpti_CallbackData, correlationData));
SAME(sizeof(struct resource_data), sizeof(CUpti_ResourceData));

SAME(kind_memcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(kind_memset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(kind_kernel, CUPTI_ACTIVITY_KIND_KERNEL);
SAME(kind_device, CUPTI_ACTIVITY_KIND_DEVICE);
SAME(kind_concurrent_kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(kind_memcpy2, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(kind_unified_memory, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
SAME(resource_started, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
SAME(resource_context_destroy_starting, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);

#define CBID_driver(name) CUPTI_DRIVER_TRACE_CBID_##name
#define CBID_runtime(name) CUPTI_RUNTIME_TRACE_CBID_##name
#define STANDIN_FUNCTION(domain, id, function, name) SAME(id, CBID_##domain(name));
#include "standin_functions.inc"

/* Sizes are repeated here because in C the table is not a constant expression. */
int main(void) {
#define CHECK(kind, of_11, of_12, of_13)                                                           \
    if (record_bytes[kind][cuda_11] != sizeof(of_11) ||                                            \
        record_bytes[kind][cuda_12] != sizeof(of_12) ||                                            \
        record_bytes[kind][cuda_13] != sizeof(of_13))                                              \
    return kind
    CHECK(kind_concurrent_kernel, CUpti_ActivityKernel5, CUpti_ActivityKernel9,
          CUpti_ActivityKernel10);
    CHECK(kind_memcpy, CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6);
    CHECK(kind_memcpy2, CUpti_ActivityMemcpyPtoP2, CUpti_ActivityMemcpyPtoP4,
          CUpti_ActivityMemcpyPtoP4);
    CHECK(kind_memset, CUpti_ActivityMemset2, CUpti_ActivityMemset4, CUpti_ActivityMemset4);
    CHECK(kind_device, CUpti_ActivityDevice3, CUpti_ActivityDevice4, CUpti_ActivityDevice5);
    CHECK(kind_unified_memory, CUpti_ActivityUnifiedMemoryCounter2,
          CUpti_ActivityUnifiedMemoryCounter2, CUpti_ActivityUnifiedMemoryCounter3);
    return 0;
}
