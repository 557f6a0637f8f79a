// Which paths allocate memory, and what of it they still have: a sample of all allocations, or each
// one, as libvftrace_allocations reports them. See doc/design/heap.md.
#pragma once

#include <cstdint>

namespace vftrace {

enum class HeapProfile : std::uint8_t { off, sampled, all };

// To be called when the library starts. `sample_bytes`: the mean number of bytes between two
// samples. `are_counted`: vftrace_allocated_bytes() is used too. Returns whether they are watched
// from now on; if not although they should be, a message says why.
bool watch_allocations(HeapProfile what, std::uint64_t sample_bytes, bool are_counted);

// The process has its record; also in a child of fork.
void begin_heap_profile();
// A child of fork has its own.
void forget_heap_profile();
// Nothing is recorded any more.
void finish_heap_profile();

}  // namespace vftrace
