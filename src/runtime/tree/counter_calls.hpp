// Calls from the tree to counters/, which is above it, for nodes with counter readings.
//
// Such nodes are never the `last_callee` of another, and their frames are frames of unusual kinds,
// so that entries and exits take the slow path; other nodes do not pay for this.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

struct CounterCalls {
    // Whether a new node, which is complete except for its flags, should read counters.
    bool (*wanted)(const Node& node);
    // The frame on top of the stack, of a node that reads counters, was opened at `now`.
    void (*entered)(ThreadState& state, const Frame& frame, std::uint64_t now);
    // A frame of a node that reads counters is closed: it ends at `now`.
    void (*left)(ThreadState& state, const Frame& frame, std::uint64_t now);
    // Reads the counters once for all frames that are closed at `now`, before the tree does its own
    // work.
    void (*read)(ThreadState& state, std::uint64_t now);
    // suspended(): from now on, calls on this stack are suspended; resumed(): they continue.
    void (*suspended)(ThreadState& state, const StackSegment& segment, std::uint64_t now);
    void (*resumed)(ThreadState& state, const StackSegment& segment, std::uint64_t now);
};

// nullptr: no node reads counters.
extern const CounterCalls* counter_calls;

}  // namespace vftrace
