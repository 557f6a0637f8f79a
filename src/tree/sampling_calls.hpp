// What the tree needs from sampling/, which lies above it, in programs that are sampled: there no
// hooks tell who calls, so that is read off the stack where somebody asks.
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

struct SamplingCalls {
    // Opens a frame_callers for the functions that have led here from what is open, if there are
    // any. In the slow path.
    void (*open_callers)(ThreadState& state);
    // The calling thread has begun, in a function of ours whose frame is at `first_function`, and
    // ends.
    void (*thread_begins)();
    void (*thread_ends)();
    // A library is unloaded: its code may be replaced by other code.
    void (*forget_code)();
};

// nullptr: the program is not sampled.
extern const SamplingCalls* sampling_calls;

}  // namespace vftrace
