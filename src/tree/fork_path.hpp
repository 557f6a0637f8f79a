// The call path that a child of fork goes on with.
//
// Taken by the parent's thread before it forks, for afterwards the parent changes its stack under
// the child's eyes. The nodes themselves stay readable: the parent's memory is mapped in the child.
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

// Copies the open calls of the calling thread. Costs a few nanoseconds a level.
void save_fork_path(const ThreadState& state);

// In the parent: a child made without notice must not find it.
void forget_fork_path();

// In the child, whose tree is empty: opens again what was open, without counting calls.
// False if there is nothing to open.
bool open_fork_path(ThreadState& state);

// In a child that has no tree yet: an instrumented function of the parent's returns.
void leave_fork_path(std::uintptr_t function);

}  // namespace vftrace
