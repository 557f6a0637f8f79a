// Opening and closing activations on one thread's shadow stack.
#pragma once

#include <cstdint>

#include "tree/call_tree.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

inline bool is_base(const Frame& frame) { return frame.start == frame_base; }

// Fills `frame`, which lies above the frame of its caller, with an activation that starts `now`;
// does not count the call or move `top`. Returns its node, nullptr without memory.
Node* open_frame(ThreadState& state, Frame* frame, const Event& event, std::uint64_t now);

// Ticks when the activation began.
inline std::uint64_t start_of(const Frame& frame) {
    return frame.start > frame_last_kind ? frame.start : frame.slow_start;
}

// Closes the top frame. `without_exit`: its exit hook was not called; a flag of its node records
// this.
void pop_frame(ThreadState& state, std::uint64_t now, bool without_exit);

// Removes `gone` from the stack. Frames above it continue below its caller: regions and runs of
// tasks always, functions only if `keep_functions`; otherwise functions are closed (their exit
// hooks were never called).
void remove_frame(ThreadState& state, Frame* gone, std::uint64_t now, bool keep_functions);

// From here on calls are not recorded, only counted, until the stack is back where it is now.
void open_overflow(ThreadState& state, std::uintptr_t stack);

// Makes the segment of `stack` current and closes the dead frames below that address. Returns false
// if the address does not belong to a stack that can be followed.
bool settle(ThreadState& state, std::uintptr_t stack);

// First address of the function in whose code the activation runs: its own function, or the one
// into which it was inlined.
inline std::uintptr_t body(const Frame* frame) {
    return frame->node->key +
           static_cast<std::uintptr_t>(static_cast<std::intptr_t>(frame->node->body_offset));
}

// The order of addresses cannot distinguish a function that was left by an unseen longjmp from a
// caller. The call site can: if it lies in the code of an older frame, everything above that frame
// is dead and is closed.
void close_frames_above_caller(ThreadState& state, const Event& event);

}  // namespace vftrace
