// Opens an activation of a known path in as few instructions as possible, for the hooks and the MPI
// wrappers.
#pragma once

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Sets the stack address last: it makes the frame an open activation for readers of the tree after
// a kill -9. Release: another thread that reads the frame finds a new node complete.
[[gnu::always_inline]] inline void set_place(Frame* frame, Node* node, std::uintptr_t stack) {
    __atomic_store_n(&frame->node, node, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_shared(frame->stack, stack);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Removes the top frame, which is `top`. Once `state->top` has moved, a signal handler may use the
// frame for its own activation, but has closed it again when this function continues.
[[gnu::always_inline]] inline void drop(ThreadState* state, Frame* top) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    asm("subq %1, %0" : "+m"(state->top) : "i"(sizeof(Frame)) : "cc");  // one instruction fewer
#else
    state->top = top - 1;
#endif
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_shared(top->stack, std::uintptr_t{0});
}

// The callers of an activation that is gone may be gone too.
[[gnu::always_inline]] inline void leave_callers(ThreadState& state) {
    if (state.top->start == frame_callers) [[unlikely]]
        drop(&state, state.top);
}

// Puts `frame`, the one above state->top, on top as an activation of `node` whose kind is not known
// yet.
[[gnu::always_inline]] inline void put_on_top(ThreadState* state, Frame* frame, Node* node,
                                              std::uintptr_t stack) {
    // A signal handler that is itself instrumented may run between any two instructions. Before
    // `top` moves, the handler reuses this frame, so the frame's place is set again afterwards;
    // once `top` has moved, the handler finds a frame from which it can continue.
    set_shared(frame->start, std::uint64_t{frame_starting});
    set_place(frame, node, stack);
    state->top = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_place(frame, node, stack);
}

enum class Timing { clock, nested, untimed };

// `frame` is the one above state->top, `node` a callee of the node of state->top. Counts the call.
template <Timing timing>
[[gnu::always_inline]] inline void push(ThreadState* state, Frame* frame, Node* node,
                                        std::uintptr_t stack) {
    put_on_top(state, frame, node, stack);
    add_relaxed(node->calls, 1);
    if constexpr (timing == Timing::nested)
        add_relaxed(node->nested_calls, 1);
    set_shared(frame->start, timing == Timing::clock    ? processor_ticks()
                             : timing == Timing::nested ? std::uint64_t{frame_nested}
                                                        : std::uint64_t{frame_untimed});
}

// The same for an activation that began when the clock was last read, at `start`.
[[gnu::always_inline]] inline void push_since(ThreadState* state, Frame* frame, Node* node,
                                              std::uintptr_t stack, std::uint64_t start) {
    put_on_top(state, frame, node, stack);
    add_relaxed(node->calls, 1);
    set_shared(frame->start, start);
}

// The same for the timed call of a thinned node. Such calls are few, so they can afford to
// serialize what the processor would otherwise do at the same time.
[[gnu::always_inline]] inline void push_thinned(ThreadState* state, Frame* frame, Node* node,
                                                std::uintptr_t stack) {
    push<Timing::untimed>(state, frame, node, stack);
    set_shared(frame->slow_start, serialized_processor_ticks());
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_shared(frame->start, std::uint64_t{frame_thinned});
}

// The same for a call that is folded into the path that `alias`, a callee of the node of
// state->top, represents.
[[gnu::always_inline]] inline void push_fold(ThreadState* state, Frame* frame, Node* alias,
                                             std::uintptr_t stack) {
    put_on_top(state, frame, alias->last_callee, stack);
    add_relaxed(alias->calls, 1);
    set_shared(frame->slow_start, processor_ticks());
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_shared(frame->start, std::uint64_t{frame_fold});
}

}  // namespace vftrace
