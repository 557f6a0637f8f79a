#include "tree/activation.hpp"

#include "base/relaxed.hpp"
#include "tree/frames.hpp"
#include "tree/pause.hpp"
#include "tree/slow_path.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

Node* enter_activation(std::uintptr_t key, NodeKind kind, std::uintptr_t stack) {
    ThreadState* state = thread_state;
    if (Node* node = known_callee(*state, key, stack)) [[likely]] {
        push<Timing::clock>(state, state->top + 1, node, stack);
        return node;
    }
    if (!state->segment || plain_read(state->ignore_events))
        state = recording_state_slowly();
    if (!state)
        return nullptr;
    const std::uint64_t dropped = state->record->dropped_calls;
    enter_slowly(state, {key, kind, 0, 0, stack});
    // Too deep or out of memory: the frame on top is not that of this activation.
    return state->record->dropped_calls == dropped ? state->top->node : nullptr;
}

void leave_activation(const Node* node, std::uintptr_t stack) {
    leave_activation_at(node, stack, processor_ticks());
}

[[gnu::always_inline]] static inline bool leave_top(ThreadState& state, const Node* node,
                                                    std::uint64_t now) {
    Frame* top = state.top;
    if (plain_read(state.inverted_low) == 0 || top->node != node || top->start <= frame_last_kind)
        [[unlikely]]
        return false;
    add_relaxed(top->node->inclusive_ticks, now - top->start);
    drop(&state, top);
    return true;
}

bool leave_if_innermost(ThreadState& state, const Node* node) {
    return leave_top(state, node, processor_ticks());
}

void leave_activation_at(const Node* node, std::uintptr_t stack, std::uint64_t now) {
    ThreadState* state = thread_state;
    if (leave_top(*state, node, now)) [[likely]]
        return;
    if (state->segment && !plain_read(state->ignore_events))
        exit_slowly(state, node->key, node->kind, stack);
}

Node* make_place(std::uintptr_t key, NodeKind kind, std::uintptr_t stack) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return nullptr;
    if (Node* node = known_callee(*state, key, stack))
        return node;
    SlowPath guard(*state, stack);
    catch_up_with_pauses(*state, 0, stack);
    if (!settle(*state, stack) || state->top->start == frame_overflow)
        return nullptr;
    if (sampling_calls)
        sampling_calls->open_callers(*state);
    Node* node = find_callee(*state, state->top->node, key);
    if (!node)
        node = make_callee(*state, state->top->node, {key, kind, 0, 0, stack});
    return node && node->kind == NodeKind::alias ? node->last_callee : node;
}

}  // namespace vftrace
