// Transfers of OpenACC and OpenMP constructs between host and devices, in the GpuRecord: by call
// path and device.
#pragma once

#include <cstdint>

#include "record/gpu_record.hpp"

namespace vftrace {

// Adds one transfer to or from `device`, or allocation there, to what the construct at `node`, of
// OpenACC or OpenMP, has done. Any thread; known pairs of node and device take no lock. Without
// memory, and where node is nullptr, nothing happens.
void add_transfer(const Node* node, std::int32_t device, ConstructBytes which, std::uint64_t bytes);

// Notes a device that the program uses. Any thread; a known one costs a search in a short list.
void add_construct_device(ProgrammingModel model, std::int32_t number, bool is_host);

// In a child of fork: what there is belongs to the parent.
void forget_construct_transfers();

}  // namespace vftrace
