// Notices and the cost of measuring in the message that a rank sends to its parent.
#pragma once

#include <cstddef>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The least number of bytes of a record: see ByteReader::count().
inline constexpr std::size_t least_overhead_item = 2, least_notice = 6;

void write(ByteWriter& out, const OverheadItem& item);
// A notice that does not say on which ranks it is true is from all ranks of the message: from
// `ranks` ranks, of which `first_rank` is the lowest.
void write(ByteWriter& out, const Notice& notice, std::uint32_t ranks, std::uint32_t first_rank);

OverheadItem read_overhead_item(ByteReader& in);
// The arguments fit the code, unless the reader has failed.
Notice read_notice(ByteReader& in);

}  // namespace vftrace
