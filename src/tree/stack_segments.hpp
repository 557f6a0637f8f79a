// The stacks that a thread runs on: its own, a signal handler's, those the program makes itself.
//
// A signal handler's stack is called from where the thread was, like a function. A fiber's may be
// left in the middle and continued from elsewhere: while another stack runs, its calls are
// suspended, and the stack that continues it has an open NodeKind::graft for the path from which
// the fiber was started.
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
// calls inlined into one frame; memory is taken as it is needed. nullptr without memory.
StackSegment* make_segment(ThreadState& state, StackRange range, Node* base);

// More frames for the current segment; false if it has all that it may have.
bool grow_segment(ThreadState& state);

// The stack is gone: the segment serves for another one.
void release_segment(StackSegment* segment);

// Finds, or makes, the segment of the stack that `address` lies in. nullptr without memory.
StackSegment* segment_of(ThreadState& state, std::uintptr_t address);

// The same for a stack whose range is known, such as that of a fiber that is about to run.
StackSegment* segment_of(ThreadState& state, std::uintptr_t address, StackRange range);

// Another segment is the current one from now on.
void switch_segment(ThreadState& state, StackSegment* segment, std::uint64_t now);

// The last activation on another stack has ended: what it interrupted, perhaps a hook
// with the state half in registers, must find everything as it was.
// Regions that it left open end with it.
void leave_empty_segment(ThreadState& state, std::uint64_t now);

// Makes every open activation start later, because it was suspended.
void move_starts(StackSegment& segment, const Frame* top, std::uint64_t ticks, std::uint64_t now);

}  // namespace vftrace
