// Decodes a record of device work from CUPTI.
#pragma once

#include <cstdint>

#include "record/gpu_work.hpp"

namespace vftrace {

inline constexpr std::uint32_t no_stream = 0xffffffff;

struct DeviceWork {
    GpuWork work;
    std::uint64_t start, end;  // ns; `start` is 0 if it is not finished
    std::uint64_t bytes;       // 0 for kernels
    std::uint32_t device, context;
    std::uint32_t stream;       // no_stream: pages that move by themselves
    std::uint32_t correlation;  // of the call that requested it; 0: none did
    const char* kernel;         // mangled; nullptr: not a kernel
};

// Whether the record describes work.
bool decode_work(const void* record, DeviceWork& work);

struct DeviceDescription {
    std::uint32_t number;
    const char* name;
};
// Whether the record describes a device.
bool decode_device(const void* record, DeviceDescription& device);

}  // namespace vftrace
