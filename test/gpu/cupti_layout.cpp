// The library's declarations of CUPTI against CUPTI's own headers: this compiles if they agree.
#include "gpu/cupti_abi.hpp"

#include <cstddef>
#include <cupti.h>

namespace ours = vftrace::cupti;

#define SAME(a, b) static_assert(static_cast<long>(a) == static_cast<long>(b), #a)
#define PLACE(constant, type, field) SAME(ours::offset::constant, offsetof(type, field))
#define SAME_MEMBER(field, theirs)                                                                 \
    SAME(offsetof(ours::CallbackData, field), offsetof(CUpti_CallbackData, theirs))

// Of each type that such a record has had from CUDA 11.0 on.
#define KERNEL(type)                                                                               \
    PLACE(start, type, start);                                                                     \
    PLACE(end, type, end);                                                                         \
    PLACE(kernel::device, type, deviceId);                                                         \
    PLACE(kernel::context, type, contextId);                                                       \
    PLACE(kernel::stream, type, streamId);                                                         \
    PLACE(kernel::correlation, type, correlationId);                                               \
    PLACE(kernel::name, type, name)
#define COPY_OR_SET(type)                                                                          \
    PLACE(start, type, start);                                                                     \
    PLACE(end, type, end);                                                                         \
    PLACE(copy::bytes, type, bytes);                                                               \
    PLACE(copy::device, type, deviceId);                                                           \
    PLACE(copy::context, type, contextId);                                                         \
    PLACE(copy::stream, type, streamId)
#define COPY(type)                                                                                 \
    COPY_OR_SET(type);                                                                             \
    PLACE(copy::kind, type, copyKind)
#define MANAGED(type)                                                                              \
    PLACE(start, type, start);                                                                     \
    PLACE(end, type, end);                                                                         \
    PLACE(managed_memory::counter, type, counterKind);                                             \
    PLACE(managed_memory::value, type, value);                                                     \
    PLACE(managed_memory::source, type, srcId);                                                    \
    PLACE(managed_memory::destination, type, dstId)
#define DEVICE(type)                                                                               \
    PLACE(device::number, type, id);                                                               \
    PLACE(device::name, type, name)

KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
KERNEL(CUpti_ActivityKernel10);
COPY(CUpti_ActivityMemcpy);
COPY(CUpti_ActivityMemcpy3);
COPY(CUpti_ActivityMemcpy4);
COPY(CUpti_ActivityMemcpy5);
COPY(CUpti_ActivityMemcpy6);
PLACE(copy::correlation, CUpti_ActivityMemcpy, correlationId);
PLACE(copy::correlation, CUpti_ActivityMemcpy6, correlationId);
COPY(CUpti_ActivityMemcpyPtoP);
COPY(CUpti_ActivityMemcpyPtoP2);
COPY(CUpti_ActivityMemcpyPtoP3);
COPY(CUpti_ActivityMemcpyPtoP4);
PLACE(copy::peer_correlation, CUpti_ActivityMemcpyPtoP, correlationId);
PLACE(copy::peer_correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
COPY_OR_SET(CUpti_ActivityMemset);
COPY_OR_SET(CUpti_ActivityMemset2);
COPY_OR_SET(CUpti_ActivityMemset3);
COPY_OR_SET(CUpti_ActivityMemset4);
PLACE(copy::correlation, CUpti_ActivityMemset, correlationId);
PLACE(copy::correlation, CUpti_ActivityMemset4, correlationId);
MANAGED(CUpti_ActivityUnifiedMemoryCounter2);
MANAGED(CUpti_ActivityUnifiedMemoryCounter3);
DEVICE(CUpti_ActivityDevice2);
DEVICE(CUpti_ActivityDevice3);
DEVICE(CUpti_ActivityDevice4);
DEVICE(CUpti_ActivityDevice5);

SAME(sizeof(ours::CallbackData), sizeof(CUpti_CallbackData));
SAME_MEMBER(site, callbackSite);
SAME_MEMBER(kernel, symbolName);
SAME_MEMBER(context, context);
SAME_MEMBER(correlation_data, correlationData);
SAME_MEMBER(correlation, correlationId);
SAME(sizeof(ours::MemoryCounterRequest), sizeof(CUpti_ActivityUnifiedMemoryCounterConfig));
SAME(offsetof(ours::MemoryCounterRequest, counter),
     offsetof(CUpti_ActivityUnifiedMemoryCounterConfig, kind));

SAME(ours::driver_api, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(ours::runtime_api, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(ours::resource, CUPTI_CB_DOMAIN_RESOURCE);
SAME(ours::site_enter, CUPTI_API_ENTER);
SAME(ours::site_exit, CUPTI_API_EXIT);
SAME(ours::context_created, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(ours::context_destroyed, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
SAME(ours::started, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
SAME(ours::flush_all, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME(ours::memory_copy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(ours::memory_set, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(ours::device, CUPTI_ACTIVITY_KIND_DEVICE);
SAME(ours::kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(ours::peer_copy, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(ours::managed_memory, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
SAME(ours::host_to_device, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
SAME(ours::device_to_host, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
SAME(ours::device_to_device, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD);
SAME(ours::host_to_host, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH);
SAME(ours::peer_to_peer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
SAME(ours::bytes_to_device, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD);
SAME(ours::bytes_to_host, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH);
SAME(ours::bytes_between_devices, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD);
