// A message in a vfd file.
#pragma once

#include "vfd/message_merge.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace {

// Counts that are too large for the file's 32 bits are written with a larger element size, so that
// the number of bytes is right; if there is no such size, the count is the largest one possible.
VfdMessageSample message_sample(const TracedMessage& message, std::uint32_t stack,
                                std::int64_t start_ns, std::int64_t end_ns);

}  // namespace vftrace
