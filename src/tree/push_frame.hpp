// Opens an activation of a known path in the fewest instructions; the hooks and the MPI wrappers
// do.
#pragma once

#include "base/clock.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

[[gnu::always_inline]] inline void fill(Frame* frame, Node* node, std::uintptr_t stack) {
    frame->node = node;
    frame->stack = stack;
    frame->start = frame_starting;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

enum class Timing { clock, nested };

// `frame` is the one above state->top, `node` a callee of that one's node. Counts the call.
template <Timing timing>
[[gnu::always_inline]] inline void push(ThreadState* state, Frame* frame, Node* node,
                                        std::uintptr_t stack) {
    // A signal handler that is instrumented itself may come between any two instructions. Before
    // `top` moves it reuses this frame, so the frame is filled again afterwards; once `top` has
    // moved it finds a frame that is whole.
    fill(frame, node, stack);
    state->top = frame;
    fill(frame, node, stack);
    add_relaxed(node->calls, 1);
    frame->start = timing == Timing::clock ? processor_ticks() : frame_nested;
}

}  // namespace vftrace
