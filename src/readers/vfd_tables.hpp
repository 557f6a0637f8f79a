// The parts of version 3 of a vfd file except the samples: its header and tables. For tools.
#pragma once

#include <cstdint>
#include <vector>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// All of these throw VfdError.

// The header, its numbers in their ranges and its offsets in the file. `end` is set to what follows
// it. Says what else the file is if it is not a vfd file.
VfdHeader read_vfd_header(const VfdInput& input, std::uint64_t& end);

// Where the part that begins at `offset` must end at the latest: where the next one begins.
// `behind_tables` is the end of the file, or of what is version 3 in it.
VfdExtent extent_of_part(const VfdNumbers& numbers, std::int64_t offset,
                         std::uint64_t behind_tables);

std::vector<VfdStack> read_vfd_stacks(VfdCursor& table, std::uint32_t count);
std::vector<VfdThreadInfo> read_vfd_threads(VfdCursor& table, std::int32_t count);
std::vector<VfdCounter> read_vfd_counters(VfdCursor& table, std::uint32_t count);
std::vector<VfdObservable> read_vfd_observables(VfdCursor& table, std::uint32_t count);

}  // namespace vftrace
