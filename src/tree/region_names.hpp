// Names of user regions, each kept once: its address is the key of the region's nodes.
#pragma once

#include <cstdint>

#include "base/arena.hpp"

namespace vftrace {

// The key of a name: the address of our one copy of it, made in `arena` if the name is new. 0
// without memory. Safe on any thread (each with its own arena) and in signal handlers: no lock.
// Costs a hash of the text and a look into a table.
std::uintptr_t region_key(const char* name, Arena& arena);

// In a child of fork: names are to lie in its own memory.
void forget_region_names();

}  // namespace vftrace
