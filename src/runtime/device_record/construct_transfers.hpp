// Transfers of OpenACC and OpenMP constructs between host and devices, in the GpuRecord: by call
// path and device.
#pragma once

#include <cstdint>

#include "record/gpu_record.hpp"

namespace vftrace {

// Adds one transfer to or from `device`, or one allocation there, to the figures of the OpenACC or
// OpenMP construct at `node`. May be called by any thread; known pairs of node and device take no
// lock. Does nothing without memory, or if `node` is nullptr.
void add_transfer(const Node* node, std::int32_t device, ConstructBytes which, std::uint64_t bytes);

// Records a device that the program uses. May be called by any thread; a known device costs a
// search in a short list.
void add_construct_device(ProgrammingModel model, std::int32_t number, bool is_host);

// In a child of fork: forgets what belongs to the parent.
void forget_construct_transfers();

}  // namespace vftrace
