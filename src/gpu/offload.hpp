// What constructs of OpenACC and OpenMP move between host and devices, in the GpuRecord: by call
// path and device.
#pragma once

#include <cstdint>

#include "gpu/gpu_record.hpp"

namespace vftrace {

// Adds to what the construct at `node`, of kind openacc or openmp, has moved to or from `device` or
// allocated there. Any thread; known pairs of node and device take no lock. Without memory, and
// where node is nullptr, nothing happens.
void add_offloaded_bytes(const Node* node, std::int32_t device, OffloadBytes which,
                         std::uint64_t bytes);

// Notes a device that the program uses. Any thread; a known one costs a search in a short list.
void add_offload_device(OffloadModel model, std::int32_t number, bool is_host);

// In a child of fork: what there is belongs to the parent.
void forget_offload();

}  // namespace vftrace
