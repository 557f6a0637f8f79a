#include "tree/frames.hpp"

#include <algorithm>

#include "base/assertion.hpp"
#include "base/relaxed.hpp"
#include "guest/modules.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/grafts.hpp"
#include "tree/latencies.hpp"
#include "tree/push_frame.hpp"
#include "tree/stack_segments.hpp"
#include "tree/thinning.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

Node* open_frame(ThreadState& state, Frame* frame, const Event& event, std::uint64_t now) {
    VFTRACE_ASSERT(frame > state.segment->frames && frame <= state.top + 1);
    Node* const parent = frame[-1].node;
    const bool is_function = event.kind == NodeKind::function;
    Node* node = parent;
    std::uint64_t start = frame_nested;
    if (!is_function || event.key != parent->key) {
        node = find_callee(state, parent, event.key);
        if (!node)
            node = make_callee(state, parent, event);
        if (!node)
            return nullptr;
        const bool reads = node->flags & node_reads_counters;
        const bool folded = node->kind == NodeKind::alias;
        if (!reads && (!folded || is_function))
            parent->last_callee = node;
        if (folded)
            node = node->last_callee;
        start = folded ? frame_fold
                : !tree_settings.processor_ticks || reads ||
                        (is_base(frame[-1]) && state.segment->interrupted)
                    ? frame_timed
                    : now;
    }
    set_shared(frame->slow_start, now);
    set_shared(frame->start, start);
    // A region belongs to the innermost function that is open, even if the call that begins the
    // region is in a wrapper in the program or in our Fortran module.
    set_place(frame, node, row_of(event.kind).is(kind_is_marked) ? frame[-1].stack : event.stack);
    return node;
}

// `ends`: with the frame, the call ends.
static void close_frame(ThreadState& state, Frame* frame, std::uint64_t now, bool without_exit,
                        bool ends = true) {
    Node* node = frame->node;
    const auto note_duration = [&](std::uint64_t ticks, std::uint64_t calls) {
        if (ends)
            count_latency(state, *node, ticks, now, calls);
    };
    switch (frame->start) {
    case frame_base:
        return;
    case frame_overflow:
        state.overflow_depth = 0;
        return;
    case frame_paused:
    case frame_starting:
    case frame_callers:
        return;
    case frame_nested:  // for the tree, one activation
    case frame_untimed:
        break;
    case frame_thinned:
        note_duration(now - frame->slow_start,
                      note_thinned_call(state.random, *node, now - frame->slow_start));
        break;
    case frame_fold:
        if (Node* alias = find_callee(state, frame[-1].node, node->key))
            add_relaxed(alias->inclusive_ticks, now - frame->slow_start);
        break;
    case frame_timed:
        add_relaxed(node->inclusive_ticks, now - frame->slow_start);
        note_duration(now - frame->slow_start, 1);
        break;
    default:
        add_relaxed(node->inclusive_ticks, now - frame->start);
        note_duration(now - frame->start, 1);
    }
    if (without_exit)
        set_flag(*node, node_closed_without_exit);
    if (node->flags & node_reads_counters)
        counter_calls->left(state, *frame, now);
    note_exit(state, node, now);
}

void pop_frame(ThreadState& state, std::uint64_t now, bool without_exit) {
    VFTRACE_ASSERT(state.top > state.segment->frames);
    close_frame(state, state.top, now, without_exit);
    drop(&state, state.top);
}

void remove_frame(ThreadState& state, Frame* gone, std::uint64_t now, bool keep_functions) {
    Frame* top = state.top;
    auto stays = [&](const Frame* frame) {
        return keep_functions || row_of(frame->node->kind).is(kind_is_marked) ||
               runs_task(*frame->node);
    };
    for (Frame* frame = top; frame >= gone; frame--) {
        const bool ends = frame == gone || !stays(frame);
        close_frame(state, frame, now, ends && frame != gone, ends);
    }
    Frame* free = gone;
    state.frame_moves++;
    for (Frame* frame = gone + 1; frame <= top; frame++) {
        if (!stays(frame) || frame->start == frame_overflow || frame->start == frame_callers)
            continue;
        // A run is at the place of the activation in which it began, which may be gone.
        const std::uintptr_t stack = runs_task(*frame->node) ? free[-1].stack : frame->stack;
        Event event{frame->node->key, frame->node->kind, 0, 0, stack};
        if (const Node* node = open_frame(state, free, event, now)) {
            if (node->flags & node_reads_counters)
                counter_calls->entered(state, *free, now);
            note_enter(state, node, now);
            free++;
        }
    }
    while (state.top >= free)
        drop(&state, state.top);
}

void open_overflow(ThreadState& state, std::uintptr_t stack) {
    Frame* frame = state.top + 1;
    VFTRACE_ASSERT(state.overflow_depth == 0);
    *frame = {&no_node, frame_overflow, stack, 0};
    state.top = frame;
    state.overflow_depth = 1;
    state.record->dropped_calls++;
}

bool settle(ThreadState& state, std::uintptr_t stack) {
    if (stack < state.segment->low || stack > state.segment->high) {
        StackSegment* segment = segment_of(state, stack);
        if (!segment)
            return false;
        switch_segment(state, segment, tree_ticks());
    }
    if (stack > state.top->stack) {
        std::uint64_t now = end_of_open(*state.record, tree_ticks());
        while (stack > state.top->stack && !is_base(*state.top))
            pop_frame(state, std::max(now, start_of(*state.top)), true);
    }
    return true;
}

void close_frames_above_caller(ThreadState& state, const Event& event) {
    // The call site of an inlined function is that of the function into which it was inlined.
    std::uintptr_t own_body = function_start(event.hook_site);
    std::uintptr_t caller =
        own_body && own_body != event.key ? own_body : function_start(event.callsite);
    constexpr int frames_searched = 32;
    Frame* frame = state.top;
    for (int i = 0; i < frames_searched && caller && !is_base(*frame); i++, frame--)
        if (frame->node->kind == NodeKind::function && body(frame) == caller) {
            // Functions inlined into the caller, and regions, share its stack frame.
            bool same_frame = true;
            for (Frame* above = frame + 1; above <= state.top; above++)
                same_frame &= above->node->kind != NodeKind::function || body(above) == caller ||
                              above->stack == frame->stack;
            std::uint64_t now = tree_ticks();
            while (!same_frame && state.top > frame)
                pop_frame(state, now, true);
            return;
        }
}

}  // namespace vftrace
