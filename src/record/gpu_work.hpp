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

// Numbers of CUPTI's callback domains, and one that CUPTI has for something else.
enum class GpuApi : std::uint8_t { driver = 1, runtime = 2, openacc = 3 };

// A function of CUDA: CUPTI's numbers of its API and of itself (CBID). Of OpenACC an event at a
// construct, whose number is that of openacc_callback().
inline constexpr std::uint64_t gpu_call_id(GpuApi api, std::uint32_t callback) {
    return static_cast<std::uint64_t>(api) << 32 | callback;
}

// Whose constructs have devices work.
enum class ProgrammingModel : std::uint8_t { openacc, openmp };
inline constexpr std::size_t programming_models = 2;

// What bytes of constructs are counted for.
enum class ConstructBytes : std::uint8_t { to_device, to_host, on_device };
inline constexpr std::size_t construct_bytes = 3;

}  // namespace vftrace
