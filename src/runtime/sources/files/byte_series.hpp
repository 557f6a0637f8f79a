// The bytes that the process has read and written so far, over time.
#pragma once

#include <cstdint>

namespace vftrace {

// The process has its record; a child of fork has its own.
void begin_byte_series();
void forget_byte_series();

// A call that needed the system has ended now, and has moved these bytes. Any thread, in any code.
void add_bytes(std::uint64_t read, std::uint64_t written, std::uint64_t now);

// The last points. Nothing is added afterwards.
void end_byte_series();

}  // namespace vftrace
