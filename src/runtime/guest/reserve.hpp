// A small reserve of memory for unguarded containers.
//
// There should be no such containers (base/guarded.hpp). If memory runs out in one that was
// overlooked, there is nothing to jump back to: it gets its memory from here, and the library
// switches itself off before it needs more.
#pragma once

#include <cstddef>

namespace vftrace {

// Called when something is taken.
extern void (*when_reserve_is_used)();

// nullptr if the reserve is used up.
void* take_from_reserve(std::size_t bytes);
bool is_from_reserve(const void* memory);

}  // namespace vftrace
