// The call path with which a child of fork continues.
//
// It is taken by the parent's thread before it forks, because afterwards the parent changes its
// stack while the child reads it. The nodes themselves stay readable: the parent's memory is mapped
// in the child.
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
