// The live memory of the process, and of those of its call paths that have most, over time.
#pragma once

#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// Equal for nodes of all threads that are on the same call path, and probably for no others.
std::uint64_t hash_of_path(const Node& node);

// The process has its record; a child of fork has its own.
void begin_live_series();
void forget_live_series();

// Adds a point if it is time for one, or if `changed` bytes, which were allocated or freed, are
// much of the peak. Takes at most 1 % of the time. `live`, `peak`: bytes of the process. May be
// called by several threads at once, each without signal handlers that do.
void read_live_series(std::uint64_t live, std::uint64_t peak, std::uint64_t changed);
// The last point. Nothing is read afterwards.
void end_live_series(std::uint64_t live);

}  // namespace vftrace
