// Kinds of work that a GPU does.
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

}  // namespace vftrace
