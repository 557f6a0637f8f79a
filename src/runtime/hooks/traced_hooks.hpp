// The hot path of threads that are traced: that of call_events.hpp, plus a word written to the
// event buffer.
//
// The first comparison of a hook sends all events of these threads here (ThreadState::inverted_low
// is 0), so that threads that are not traced pay nothing. Included only by call_events.hpp.
#pragma once

#include "base/relaxed.hpp"
#include "tree/event_buffer.hpp"
#include "tree/folding.hpp"
#include "tree/latencies.hpp"
#include "tree/push_frame.hpp"
#include "tree/thinning.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

template <class Hook>
[[gnu::always_inline]] inline void trace_event(ThreadState& state, WordKind kind, const Node* node,
                                               std::uint64_t ticks) {
    if (!wrote_event(state, kind, node, ticks)) [[unlikely]]
        Hook::outside(write_event_slowly, state, kind, node, ticks);
}

// In call_events.hpp.
template <class Hook>
bool remove_traced(ThreadState* state, Node* node, std::uintptr_t hook_site);
template <class Hook>
bool remove_nested_now_and_then(ThreadState* state, const Node& node, std::uintptr_t hook_site);

// A call that was not very short has ended.
template <class Hook>
[[gnu::noinline]] void note_latency(ThreadState* state, const Node* node, std::uint64_t ticks,
                                    std::uint64_t end) {
    if (LatencyRow* const row = known_latency_row(*state, *node, ticks)) [[likely]]
        return count_latency_in(*row, ticks, end, 1);
    Hook::outside(count_first_latency, state, node, ticks, end);
}

// A call in a recording thread whose state has a buffer. Returns false if it must take the slow
// path.
template <class Hook>
[[gnu::always_inline]] inline bool enter_traced(ThreadState* state, Hook hook, std::uintptr_t stack,
                                                std::uintptr_t hook_site) {
    Frame* top = state->top;
    if (~stack > plain_read(state->trace->inverted_low) || Hook::has_left(*top, stack) ||
        top >= state->frames_end) [[unlikely]]
        return false;
    if (has_switched(*state)) [[unlikely]]
        Hook::outside(book_switches, *state, stack);
    Node* parent = top->node;
    Node* node = parent->last_callee;
    if (!hook.enters(*node)) {
        const std::uintptr_t function = hook.entered();
        if (function == parent->key) {
            if (remove_nested_now_and_then<Hook>(state, *parent, hook_site)) [[unlikely]]
                return true;
            push<Timing::nested>(state, top + 1, parent, stack);
            trace_event<Hook>(*state, WordKind::enter, parent, processor_ticks());
            return true;
        }
        if (!(node = known_in_table(*state, parent, function)))
            return false;
        parent->last_callee = node;
        add_relaxed(node->table_entries, 1);
    }
    if (!is_timed(node) && is_due(node) && remove_traced<Hook>(state, node, hook_site)) [[unlikely]]
        return true;
    if (node->kind == NodeKind::alias) {
        push_fold(state, top + 1, node, stack);
        trace_event<Hook>(*state, WordKind::enter, node->last_callee, state->top->slow_start);
        return true;
    }
    push<Timing::clock>(state, top + 1, node, stack);
    trace_event<Hook>(*state, WordKind::enter, node, state->top->start);
    return true;
}

template <class Hook>
[[gnu::always_inline]] inline bool leave_traced(ThreadState* state, Hook hook,
                                                std::uintptr_t stack) {
    if (has_switched(*state)) [[unlikely]]
        Hook::outside(book_switches, *state, stack);
    std::uint64_t now = processor_ticks();
    Frame* top = state->top;
    Node* node = top->node;
    std::uint64_t start = top->start;
    if (plain_read(state->trace->inverted_low) == 0 || !hook.leaves(*top, stack)) [[unlikely]]
        return false;
    if (start > frame_last_kind) [[likely]]
        add_relaxed(node->inclusive_ticks, now - start);
    else if (Node* alias = start == frame_fold ? alias_of(*state, *top) : nullptr)
        add_relaxed(alias->inclusive_ticks, now - top->slow_start);
    else if (!is_timeless(start))
        return false;
    drop(state, top);
    trace_event<Hook>(*state, WordKind::exit, node, now);
    if (start > frame_last_kind && now - start >= least_latency_ticks) [[unlikely]]
        note_latency<Hook>(state, node, now - start, now);
    return true;
}

}  // namespace vftrace
