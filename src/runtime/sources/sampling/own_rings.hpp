// Whether this process may have rings that the kernel writes into (unwind/event_ring.hpp).
//
// The memory of a ring is not there in a child of fork.
#pragma once

namespace vftrace {

// Allows rings in this process from now on. To be called again in a child of fork. Returns false
// without memory, and under valgrind, whose stack the kernel would report.
bool allow_rings();

// Whether rings that this memory refers to exist; false in a child of fork. Async-signal-safe.
bool rings_are_here();

}  // namespace vftrace
