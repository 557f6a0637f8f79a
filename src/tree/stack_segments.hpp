// The stacks that a thread runs on: its own, a signal handler's, those the program makes itself.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

struct StackRange {
    std::uintptr_t low = 0, high = 0;  // high 0: unknown
};

bool is_main_thread();

// The calling thread's own stack.
StackRange own_stack();

// A segment for `range` in the thread's list, its first activations below `base`. Room for one
// frame every 32 bytes of stack, which is what the smallest instrumented function takes, and for
// calls inlined into one frame; pages that are never reached cost nothing. nullptr without memory.
StackSegment* make_segment(ThreadState& state, StackRange range, Node* base);

// The stack is gone: the segment serves for another one.
inline void release_segment(StackSegment* segment) { segment->low = segment->high = 0; }

// Finds, or makes, the segment of the stack that `address` lies in. nullptr without memory.
StackSegment* segment_of(ThreadState& state, std::uintptr_t address);

// Makes another segment the current one.
void switch_segment(ThreadState& state, StackSegment* segment);

// The last activation on a signal handler's stack has ended: what it interrupted, perhaps a hook
// with the state half in registers, must find everything as it was.
// Regions that it left open end with it.
void leave_empty_segment(ThreadState& state, std::uint64_t now);

}  // namespace vftrace
