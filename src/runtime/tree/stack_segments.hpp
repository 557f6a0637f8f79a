// The stacks on which a thread runs: its own, a signal handler's, and those that the program itself
// creates.
//
// Calls on a signal handler's stack belong below the place where the thread was, as if that place
// had called them. A fiber's stack may be left in the middle and continued from elsewhere: while
// another stack runs, the fiber's calls are suspended, and the stack that continues the fiber has
// an open NodeKind::graft for the path from which the fiber was started.
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

// A segment for `range` in the thread's list, with its first activations below `base`. It has room
// for one frame per 32 bytes of stack, which is what the smallest instrumented function takes, and
// for calls inlined into one frame; memory is used only as it is needed. nullptr without memory.
StackSegment* make_segment(ThreadState& state, StackRange range, Node* base);

// Adds frames to the current segment; false if it has reached its limit.
bool grow_segment(ThreadState& state);

// The stack is gone: the segment may be used for another one.
void release_segment(StackSegment* segment);

// Finds or creates the segment of the stack that contains `address`. nullptr without memory.
StackSegment* segment_of(ThreadState& state, std::uintptr_t address);

// The same for a stack whose range is known, such as that of a fiber that is about to run.
StackSegment* segment_of(ThreadState& state, std::uintptr_t address, StackRange range);

// Another segment is the current one from now on.
void switch_segment(ThreadState& state, StackSegment* segment, std::uint64_t now);

// The last activation on another stack has ended: the code that it interrupted, perhaps a hook with
// part of the state in registers, must find everything as it was. Regions that are still open on
// that stack end with it.
void leave_empty_segment(ThreadState& state, std::uint64_t now);

// Makes every open activation start later, because it was suspended.
void move_starts(StackSegment& segment, const Frame* top, std::uint64_t ticks, std::uint64_t now);

}  // namespace vftrace
