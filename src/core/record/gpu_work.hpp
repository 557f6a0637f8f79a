// Kinds of GPU work, classes of CUDA functions, and transfers of constructs to devices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class GpuWork : std::uint8_t {
    kernel,
    host_to_device,
    device_to_host,
    device_to_device,
    peer_to_peer,  // from one device to another
    host_to_host,
    migrated_to_device,  // pages of managed memory
    migrated_to_host,
    memset
};
inline constexpr std::size_t gpu_works = 9;

// Numbers of CUPTI's callback domains, and one that CUPTI uses for something else.
enum class GpuApi : std::uint8_t { driver = 1, runtime = 2, openacc = 3 };

// Identifies a CUDA function by CUPTI's numbers of its API and of the function (CBID), or an
// OpenACC event at a construct by the number from openacc_callback().
inline constexpr std::uint64_t gpu_call_id(GpuApi api, std::uint32_t callback) {
    return static_cast<std::uint64_t>(api) << 32 | callback;
}

// The programming models with constructs for devices.
enum class ProgrammingModel : std::uint8_t { openacc, openmp };
inline constexpr std::size_t programming_models = 2;

// The purposes for which the bytes of constructs are counted.
enum class ConstructBytes : std::uint8_t { to_device, to_host, on_device };
inline constexpr std::size_t construct_bytes = 3;

}  // namespace vftrace
