// Calls that were open when recording was switched on, found on the stacks of their threads.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

// LifecycleCalls::open_calls. Each thread does this for itself, at its next event, because another
// thread cannot follow a stack that is in use. The calls of a thread without further events, for
// example because it waits forever, are not found.
void open_calls_on_stack(ThreadState& state, std::uintptr_t entered, std::uint64_t since);

}  // namespace vftrace
