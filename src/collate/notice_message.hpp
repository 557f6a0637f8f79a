// Notices and the cost of measuring in the message that a rank sends to its parent.
#pragma once

#include <cstddef>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Bytes that a record has at least: see ByteReader::count().
inline constexpr std::size_t least_overhead_item = 2, least_notice = 6;

void write(ByteWriter& out, const OverheadItem& item);
// One without a list of ranks is from all ranks of the message: of `ranks`, from
// `first_rank`.
void write(ByteWriter& out, const Notice& notice, std::uint32_t ranks, std::uint32_t first_rank);

OverheadItem read_overhead_item(ByteReader& in);
// With arguments that fit its code, or the reader has failed.
Notice read_notice(ByteReader& in);

}  // namespace vftrace
