// What libvftrace_waits (wait_functions.cpp) says about calls in which threads may wait.
#include "guest/frame_address.hpp"
#include "tree/thread_state.hpp"
#include "waiting/thread_switches.hpp"

using namespace vftrace;

#define VFTRACE_EXPORT extern "C" [[gnu::visibility("default")]]

// `kind`: a WaitKind; not_seen: that of the descriptor, unless it is negative. A thread that is in
// the library, and a child of fork, have no switches.

VFTRACE_EXPORT void vftrace_wait_call_begins(unsigned kind, int descriptor) {
    ThreadState* const state = thread_state;
    if (state->switches)
        begin_wait_call(*state, *state->switches, {kind, descriptor, frame_address()});
}

VFTRACE_EXPORT void vftrace_wait_call_returned(unsigned kind, int descriptor) {
    ThreadState* const state = thread_state;
    if (state->switches)
        end_wait_call(*state, *state->switches, {kind, descriptor, frame_address()});
}
