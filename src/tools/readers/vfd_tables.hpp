// The parts of version 3 of a vfd file except the samples: its header and tables. For tools.
#pragma once

#include <cstdint>
#include <vector>

#include "readers/vfd_cursor.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// All of these throw VfdError.

// Reads the header and checks that its numbers are in range and its offsets are in the file. `end`
// is set to the position after it. If the file is not a vfd file, the error names its actual kind.
VfdHeader read_vfd_header(const VfdInput& input, std::uint64_t& end);

// The extent of the part that begins at `offset`, up to the beginning of the next part.
// `behind_tables` is the end of the file, or of the parts of version 3 in it.
VfdExtent extent_of_part(const VfdNumbers& numbers, std::int64_t offset,
                         std::uint64_t behind_tables);

std::vector<VfdStack> read_vfd_stacks(VfdCursor& table, std::uint32_t count);
std::vector<VfdThreadInfo> read_vfd_threads(VfdCursor& table, std::int32_t count);
std::vector<VfdCounter> read_vfd_counters(VfdCursor& table, std::uint32_t count);
std::vector<VfdObservable> read_vfd_observables(VfdCursor& table, std::uint32_t count);

}  // namespace vftrace
