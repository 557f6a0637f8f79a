// The call path with which a child of fork continues.
//
// The parent's thread saves it before it forks, because afterwards the parent changes its stack
// while the child reads it. The nodes themselves stay readable: the parent's memory is mapped in
// the child.
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

// Copies the open calls of the calling thread. Costs a few nanoseconds per level.
void save_fork_path(const ThreadState& state);

// In the parent, after a fork: a child that is created later without notice must not find the path.
void forget_fork_path();

// In the child, whose tree is empty: reopens what was open, without counting calls. Returns false
// if there is nothing to open.
bool open_fork_path(ThreadState& state);

// In a child that does not have a tree yet: an instrumented function that was called before the
// fork returns.
void leave_fork_path(std::uintptr_t function);

}  // namespace vftrace
