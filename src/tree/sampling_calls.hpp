// What the tree needs from sampling/, which is above it.
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

// In programs that are sampled instead of having hooks: callers are unknown, so they are read
// from the stack on request.
struct SamplingCalls {
    // Opens a frame_callers for the functions that have led here from what is open, if there are
    // any. In the slow path.
    void (*open_callers)(ThreadState& state);
    // The slow path begins, before it changes anything, and ends: what the kernel has done so far
    // was for the program, or for us.
    void (*slow_path_begins)(ThreadState& state);
    void (*slow_path_ends)();
};

// In all sampled programs, also in addition to hooks.
struct SampledThreads {
    // The calling thread has begun, in a function of ours whose frame is at `first_function`, and
    // ends.
    void (*thread_begins)();
    void (*thread_ends)();
    // A library is unloaded: its code may be replaced by other code.
    void (*forget_code)();
};

// nullptr: the program is not sampled, or has hooks.
extern const SamplingCalls* sampling_calls;
// nullptr: the program is not sampled.
extern const SampledThreads* sampled_threads;

}  // namespace vftrace
