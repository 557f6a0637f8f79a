// A little memory for containers that nobody guards.
//
// There should be none (base/guarded.hpp). If one is overlooked all the same, and memory runs out
// there, nothing can be jumped back to: it gets what it asks for from here, and the library
// switches itself off before it needs more.
#pragma once

#include <cstddef>

namespace vftrace {

// Called when something is taken.
extern void (*when_reserve_is_used)();

// nullptr when there is no more of it.
void* take_from_reserve(std::size_t bytes);
bool is_from_reserve(const void* memory);

}  // namespace vftrace
