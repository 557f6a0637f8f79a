// How often functions without hooks were called, estimated from the calls of their callers.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"

namespace vftrace {

// By Node::number of a thread's first `nodes` nodes: the calls of those without hooks whose ratio
// to their caller's calls did not change before the removal (CallRatio); 0 for all others. Never
// fewer than were counted. Empty if there are none.
std::vector<std::uint64_t> estimated_calls(const NodePaths::Thread& thread, std::size_t nodes);

}  // namespace vftrace
