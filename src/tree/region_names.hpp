// Names of user regions, each kept once: its address is the key of the region's nodes.
#pragma once

#include <cstdint>

namespace vftrace {

// The key of a name: the address of our one copy of it. 0 without memory. Safe on any thread.
// Costs a hash of the text and a look into a table; a lock only for a name seen for the first time.
std::uintptr_t region_key(const char* name);

// The text of a key.
inline const char* region_name(std::uintptr_t key) { return reinterpret_cast<const char*>(key); }

}  // namespace vftrace
