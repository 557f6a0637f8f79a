// What the tree needs from sampling/, which is above it.
#pragma once

#include "tree/thread_state.hpp"

namespace vftrace {

// For programs that are sampled instead of having hooks: callers are unknown, so they are read from
// the stack on request.
struct SamplingCalls {
    // Opens a frame_callers for the functions that lead from the innermost open activation to the
    // current position, if there are any. Called in the slow path.
    void (*open_callers)(ThreadState& state);
    // The slow path begins, before it changes anything, or ends: what the kernel has done until
    // then was on behalf of the program, or of the library.
    void (*slow_path_begins)(ThreadState& state);
    void (*slow_path_ends)();
};

// For all sampled programs, including those that are sampled in addition to hooks.
struct SampledThreads {
    // The calling thread has begun, in a function of the library whose frame is at
    // ThreadStart::first_function, or it ends.
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
