// Calls that were open when recording was switched on, found on the stacks of their threads.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

// LifecycleCalls::open_calls. Each thread does it for itself, at its next event: no one else can
// follow a stack that is in use. A thread that has no event any more, because it waits forever,
// say, is not seen.
void open_calls_on_stack(ThreadState& state, std::uintptr_t entered, std::uint64_t since);

}  // namespace vftrace
