// The parts of CUPTI's binary interface that the library needs, as they have been from CUDA 11 to
// 13.
//
// Activity records only grow at their end from version to version, so they have fields that have
// never moved. Only these are read, by their offsets. test/gpu/cupti_layout.cpp compares all of it
// with NVIDIA's headers if they are installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vftrace::cupti {

using Result = std::uint32_t;
inline constexpr Result success = 0;

enum Domain : std::uint32_t { driver_api = 1, runtime_api = 2, resource = 3, nvtx = 5 };

enum CallbackSite : std::uint32_t { site_enter = 0, site_exit = 1 };

// The data passed to a callback for a call.
struct CallbackData {
    CallbackSite site;
    const char* function;
    const void* arguments;
    void* result;
    const char* kernel;  // mangled; launches only, undefined for others
    void* context;
    std::uint32_t context_number;
    std::uint64_t* correlation_data;  // a word of ours, the same at entry and exit
    std::uint32_t correlation;        // also in the records of what the call starts
};

struct NvtxData {
    const char* function;
    const void* arguments;
    const void* result;
};

enum ResourceCallback : std::uint32_t { context_created = 1, context_destroyed = 2, started = 5 };

using Subscriber = void*;
using Callback = void (*)(void* user_data, Domain domain, std::uint32_t number, const void* data);
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* bytes,
                                 std::size_t* most_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t bytes, std::size_t filled);

inline constexpr std::uint32_t flush_all = 1;  // buffers with unfinished records too

enum Activity : std::uint32_t {
    memory_copy = 1,
    memory_set = 2,
    device = 8,
    kernel = 10,  // "concurrent": the older kind does not let kernels overlap
    peer_copy = 22,
    managed_memory = 25
};

// Start and end are the same for kernels, copies and sets.
namespace offset {
inline constexpr std::size_t start = 16, end = 24;  // ns; 0: not finished. Also for managed memory
namespace kernel {
inline constexpr std::size_t device = 40, context = 44, stream = 48, correlation = 92, name = 104;
}
namespace copy {  // sets too, except for the kind
inline constexpr std::size_t kind = 4, bytes = 8, device = 32, context = 36, stream = 40,
                             correlation = 44, peer_correlation = 60;
}
namespace managed_memory {
inline constexpr std::size_t counter = 4, value = 8, source = 40, destination = 44;
}
namespace device {
inline constexpr std::size_t number = 112, name = 136;
}
}  // namespace offset

// For copies.
enum CopyKind : std::uint8_t {
    host_to_device = 1,
    device_to_host = 2,
    host_to_array = 3,
    array_to_host = 4,
    array_to_array = 5,
    array_to_device = 6,
    device_to_array = 7,
    device_to_device = 8,
    host_to_host = 9,
    peer_to_peer = 10
};

// For managed memory: what a counter counts.
enum MemoryCounter : std::uint32_t {
    bytes_to_device = 1,
    bytes_to_host = 2,
    bytes_between_devices = 8
};
struct MemoryCounterRequest {
    std::uint32_t scope, counter, device, enable;
};
inline constexpr std::uint32_t scope_process = 1;  // the device is then ignored

template <class Field>
Field field(const void* record, std::size_t at) {
    Field value;
    std::memcpy(&value, static_cast<const char*>(record) + at, sizeof value);
    return value;
}
inline Activity activity_of(const void* record) { return field<Activity>(record, 0); }

}  // namespace vftrace::cupti
