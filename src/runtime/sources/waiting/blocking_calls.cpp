// What libvftrace_waits (wait_functions.cpp) says about calls in which threads may wait.
#include "guest/frame_address.hpp"
#include "tree/thread_state.hpp"
#include "tree/upcalls.hpp"
#include "waiting/lock_waits.hpp"
#include "waiting/wait_calls.hpp"

using namespace vftrace;

#define VFTRACE_EXPORT extern "C" [[gnu::visibility("default")]]

// `kind`: a WaitKind; not_seen: that of the descriptor, unless it is negative. A thread that is in
// the library, and a child of fork, have no switches.

VFTRACE_EXPORT void vftrace_wait_call_begins(unsigned kind, int descriptor) {
    ThreadState* const state = thread_state;
    if (state->switches)
        begin_wait_call(*state, *state->switches, {kind, descriptor, frame_address(), {}});
}

VFTRACE_EXPORT void vftrace_wait_call_returned(unsigned kind, int descriptor) {
    ThreadState* const state = thread_state;
    if (state->switches)
        end_wait_call(*state, *state->switches, {kind, descriptor, frame_address(), {}});
}

// The same for calls that want a lock. `kind`: a LockKind. `lock`: of the type that the C library
// has for it, or nullptr.

static WaitCall lock_call(unsigned kind, const void* lock, std::uintptr_t stack) {
    constexpr auto waits_for = static_cast<std::uint32_t>(WaitKind::lock);
    return {waits_for, -1, stack, {static_cast<LockKind>(kind), lock}};
}

VFTRACE_EXPORT void vftrace_lock_call_begins(unsigned kind, const void* lock) {
    ThreadState* const state = thread_state;
    if (state->switches)
        begin_wait_call(*state, *state->switches, lock_call(kind, lock, frame_address()));
}

VFTRACE_EXPORT void vftrace_lock_call_returned(unsigned kind, const void* lock) {
    ThreadState* const state = thread_state;
    if (state->switches)
        end_wait_call(*state, *state->switches, lock_call(kind, lock, frame_address()));
}

// A lock has been made at this address, or, `ends`, none is there any longer.
VFTRACE_EXPORT void vftrace_lock_made(const void* lock, bool ends) {
    ThreadState* const state = thread_state;
    if (!state->switches)
        return;
    const bool is_known = !ends && !sampling_calls && state->top->node->parent;
    note_lock_origin(lock, is_known ? state->top->node : nullptr);
}
