// Compares src/runtime/sources/gpu/cupti_abi.hpp and cuda_functions.inc with NVIDIA's headers, for
// all versions of the records in these headers. To be compiled, not run.
#include <cuda.h>
#include <cupti.h>
// Must come after cupti.h.
#include <cupti_activity_deprecated.h>

#include "gpu/cuda_functions.hpp"
#include "gpu/cupti_abi.hpp"

namespace abi = vftrace::cupti;
namespace offset = abi::offset;

#define AT(type, field, place) static_assert(offsetof(type, field) == place, #type "::" #field)

#define KERNEL(type)                                                                               \
    AT(type, kind, 0);                                                                             \
    AT(type, start, offset::start);                                                                \
    AT(type, end, offset::end);                                                                    \
    AT(type, deviceId, offset::kernel::device);                                                    \
    AT(type, contextId, offset::kernel::context);                                                  \
    AT(type, streamId, offset::kernel::stream);                                                    \
    AT(type, correlationId, offset::kernel::correlation);                                          \
    AT(type, name, offset::kernel::name)
KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);
KERNEL(CUpti_ActivityKernel10);

#define TRANSFER(type, correlation)                                                                \
    AT(type, kind, 0);                                                                             \
    AT(type, bytes, offset::copy::bytes);                                                          \
    AT(type, start, offset::start);                                                                \
    AT(type, end, offset::end);                                                                    \
    AT(type, deviceId, offset::copy::device);                                                      \
    AT(type, contextId, offset::copy::context);                                                    \
    AT(type, streamId, offset::copy::stream);                                                      \
    AT(type, correlationId, correlation)
#define COPY(type, correlation)                                                                    \
    TRANSFER(type, correlation);                                                                   \
    AT(type, copyKind, offset::copy::kind)
COPY(CUpti_ActivityMemcpy, offset::copy::correlation);
COPY(CUpti_ActivityMemcpy3, offset::copy::correlation);
COPY(CUpti_ActivityMemcpy4, offset::copy::correlation);
COPY(CUpti_ActivityMemcpy5, offset::copy::correlation);
COPY(CUpti_ActivityMemcpy6, offset::copy::correlation);
COPY(CUpti_ActivityMemcpyPtoP, offset::copy::peer_correlation);
COPY(CUpti_ActivityMemcpyPtoP2, offset::copy::peer_correlation);
COPY(CUpti_ActivityMemcpyPtoP3, offset::copy::peer_correlation);
COPY(CUpti_ActivityMemcpyPtoP4, offset::copy::peer_correlation);
TRANSFER(CUpti_ActivityMemset, offset::copy::correlation);
TRANSFER(CUpti_ActivityMemset2, offset::copy::correlation);
TRANSFER(CUpti_ActivityMemset3, offset::copy::correlation);
TRANSFER(CUpti_ActivityMemset4, offset::copy::correlation);

#define MANAGED_MEMORY(type)                                                                       \
    AT(type, kind, 0);                                                                             \
    AT(type, counterKind, offset::managed_memory::counter);                                        \
    AT(type, value, offset::managed_memory::value);                                                \
    AT(type, start, offset::start);                                                                \
    AT(type, end, offset::end);                                                                    \
    AT(type, srcId, offset::managed_memory::source);                                               \
    AT(type, dstId, offset::managed_memory::destination)
MANAGED_MEMORY(CUpti_ActivityUnifiedMemoryCounter2);
MANAGED_MEMORY(CUpti_ActivityUnifiedMemoryCounter3);

#define DEVICE(type)                                                                               \
    AT(type, kind, 0);                                                                             \
    AT(type, id, offset::device::number);                                                          \
    AT(type, name, offset::device::name)
DEVICE(CUpti_ActivityDevice2);
DEVICE(CUpti_ActivityDevice3);
DEVICE(CUpti_ActivityDevice4);
DEVICE(CUpti_ActivityDevice5);

#define CALLBACK(field, ours)                                                                      \
    AT(CUpti_CallbackData, field, offsetof(abi::CallbackData, ours));                              \
    static_assert(sizeof(CUpti_CallbackData::field) == sizeof(abi::CallbackData::ours))
CALLBACK(callbackSite, site);
CALLBACK(functionName, function);
CALLBACK(functionParams, arguments);
CALLBACK(functionReturnValue, result);
CALLBACK(symbolName, kernel);
CALLBACK(context, context);
CALLBACK(contextUid, context_number);
CALLBACK(correlationData, correlation_data);
CALLBACK(correlationId, correlation);

AT(CUpti_ActivityUnifiedMemoryCounterConfig, scope, offsetof(abi::MemoryCounterRequest, scope));
AT(CUpti_ActivityUnifiedMemoryCounterConfig, kind, offsetof(abi::MemoryCounterRequest, counter));
AT(CUpti_ActivityUnifiedMemoryCounterConfig, deviceId, offsetof(abi::MemoryCounterRequest, device));
AT(CUpti_ActivityUnifiedMemoryCounterConfig, enable, offsetof(abi::MemoryCounterRequest, enable));
static_assert(sizeof(CUpti_ActivityUnifiedMemoryCounterConfig) ==
              sizeof(abi::MemoryCounterRequest));

#define SAME(theirs, ours) static_assert(static_cast<long>(theirs) == static_cast<long>(ours))
SAME(CUPTI_SUCCESS, abi::success);
SAME(CUPTI_CB_DOMAIN_DRIVER_API, abi::driver_api);
SAME(CUPTI_CB_DOMAIN_RUNTIME_API, abi::runtime_api);
SAME(CUPTI_CB_DOMAIN_RESOURCE, abi::resource);
SAME(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, abi::context_created);
SAME(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, abi::context_destroyed);
SAME(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, abi::started);
SAME(CUPTI_API_ENTER, abi::site_enter);
SAME(CUPTI_API_EXIT, abi::site_exit);
SAME(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, abi::flush_all);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY, abi::memory_copy);
SAME(CUPTI_ACTIVITY_KIND_MEMSET, abi::memory_set);
SAME(CUPTI_ACTIVITY_KIND_DEVICE, abi::device);
SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, abi::kernel);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY2, abi::peer_copy);
SAME(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, abi::managed_memory);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, abi::host_to_device);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, abi::device_to_host);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, abi::host_to_array);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, abi::array_to_host);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, abi::array_to_array);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, abi::array_to_device);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, abi::device_to_array);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, abi::device_to_device);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, abi::host_to_host);
SAME(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, abi::peer_to_peer);
SAME(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE, abi::scope_process);
SAME(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, abi::bytes_to_device);
SAME(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, abi::bytes_to_host);
SAME(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, abi::bytes_between_devices);

// Checks one function of each role; the rest of the table was made from the same lists.
constexpr bool has(vftrace::GpuApi api, int number, vftrace::CudaRole role) {
    for (const vftrace::CudaFunction& function : vftrace::cuda_functions)
        if (function.api == api && function.number == number)
            return function.role == role;
    return false;
}
using vftrace::CudaRole, vftrace::GpuApi;
static_assert(has(GpuApi::runtime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                  CudaRole::launch));
static_assert(has(GpuApi::runtime, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020,
                  CudaRole::reset));
static_assert(has(GpuApi::runtime, CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020, CudaRole::ask));
static_assert(has(GpuApi::driver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CudaRole::launch));
static_assert(has(GpuApi::driver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, CudaRole::record));
