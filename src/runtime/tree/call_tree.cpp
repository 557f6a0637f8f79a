#include "tree/call_tree.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "guest/modules.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/pause.hpp"
#include "tree/push_frame.hpp"
#include "tree/registry.hpp"
#include "tree/slow_path.hpp"
#include "tree/stack_segments.hpp"
#include "tree/thinning.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

TreeSettings tree_settings;

std::uint64_t tree_ticks() {
    return tree_settings.processor_ticks ? processor_ticks() : monotonic_ns();
}

ThreadState* recording_state_slowly() {
    ThreadState* state = thread_state;
    if (plain_read(state->ignore_events))
        return nullptr;
    if (state == &busy_thread_state) {
        if (own_thread_state && own_thread_state->record)
            own_thread_state->record->dropped_calls++;
        return nullptr;
    }
    if (!state->segment) {
        lifecycle_calls.first_event();
        state = plain_read(no_thread_state.ignore_events) ? nullptr : register_thread();
    }
    return state;
}

// At the first event of a thread after recording was switched on.
static void look_for_open_calls(ThreadState& state, std::uintptr_t entered) {
    if (!plain_read(state.open_calls_are_due)) [[likely]]
        return;
    set_shared(state.open_calls_are_due, false);
    if (state.top->start != frame_overflow)
        lifecycle_calls.open_calls(state, entered,
                                   std::max(switched_on_at(), state.record->started));
}

void enter_slowly(ThreadState* state, const Event& event) {
    if (sampling_calls && event.kind == NodeKind::function)
        return;  // functions are sampled
    SlowPath guard(*state, event.stack);
    catch_up_with_pauses(*state, event.callsite, event.stack);
    if (!settle(*state, event.stack)) {
        state->record->dropped_calls++;
        return;
    }
    look_for_open_calls(*state, event.kind == NodeKind::function ? event.key : 0);
    bool unwanted =
        overhead_calls && event.kind == NodeKind::function && overhead_calls->is_refused(event.key);
    if (unwanted && overhead_calls->remove_entry(*state, event.key, event.hook_site))
        return;
    if (state->top->start == frame_overflow) {
        state->overflow_depth++;
        state->record->dropped_calls++;
        return;
    }
    if (sampling_calls)
        sampling_calls->open_callers(*state);
    bool known =
        event.key == state->top->node->key || find_callee(*state, state->top->node, event.key);
    if (!known && event.callsite)
        close_frames_above_caller(*state, event);
    Node* node = nullptr;
    if (state->top < state->frames_end || grow_segment(*state))
        node = open_frame(*state, state->top + 1, event, tree_ticks());
    if (!node) {
        open_overflow(*state, event.stack);
        return;
    }
    Node* const alias = state->top[1].start == frame_fold
                            ? find_callee(*state, state->top->node, event.key)
                            : nullptr;
    add_relaxed((alias ? alias : node)->calls, 1);
    if (state->top[1].start == frame_nested)
        add_relaxed(node->nested_calls, 1);
    if (unwanted && !node->in_fold && !(node->flags & node_unwanted))
        mute(state->random, *node);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state->top++;
    // Last, so that the time of a path does not include its creation.
    std::uint64_t now = tree_ticks();
    set_shared(state->top->slow_start, now);
    if (state->top->start > frame_last_kind)
        set_shared(state->top->start, now);
    if (node->flags & node_reads_counters)
        counter_calls->entered(*state, *state->top, now);
    note_enter(*state, node, now);
}

void exit_slowly(ThreadState* state, std::uintptr_t key, NodeKind kind, std::uintptr_t stack) {
    if (sampling_calls && kind == NodeKind::function)
        return;
    std::uint64_t now = tree_ticks();
    SlowPath guard(*state, stack);
    if (counter_calls)
        counter_calls->read(*state, now);
    catch_up_with_pauses(*state, 0, stack);
    if (stack < state->segment->low || stack > state->segment->high) {
        StackSegment* segment = segment_of(*state, stack);
        if (!segment)
            return;
        switch_segment(*state, segment, now);
    }
    look_for_open_calls(*state, kind == NodeKind::function ? key : 0);
    if (state->top->start == frame_overflow) {
        if (--state->overflow_depth == 0)
            pop_frame(*state, now, false);
        return;
    }
    // An exit hook that is called by a jump runs above its function's frame, and one after an
    // alloca() below it. So some frames above the address are examined too, but an exit whose entry
    // was never seen must not search a deep stack.
    int frames_left = 64;
    for (Frame* frame = state->top; !is_base(*frame) && frames_left > 0; frame--) {
        const bool is_it = key == any_function ? frame->stack == stack : frame->node->key == key;
        if (is_it && frame->node->kind == kind) {
            remove_frame(*state, frame, now, false);
            leave_empty_segment(*state, now);
            return;
        }
        if (frame->stack > stack)
            frames_left--;
    }
}

void book_switches(ThreadState& state, std::uintptr_t stack) { const SlowPath books(state, stack); }

void unwind_to(std::uintptr_t stack) {
    ThreadState* state = own_thread_state;
    if (!state || !state->segment)
        return;
    std::uint64_t now = tree_ticks();
    // A signal handler that interrupted the slow path may jump out of it. The tree is in a usable
    // state at any point: nodes and frames are filled before they are counted.
    if (thread_state == &busy_thread_state && state->slow_path_stack >= stack)
        return;
    if (plain_read(state->ignore_events)) {
        thread_state = state;
        return;
    }
    SlowPath guard(*state, stack);
    catch_up_with_pauses(*state, 0, stack);
    if (stack < state->segment->low || stack > state->segment->high) {
        // From a signal handler's own stack to the one that it interrupted, or between fibers.
        StackSegment* target = nullptr;
        for (StackSegment* segment = state->record->segments; segment; segment = segment->next)
            if (stack >= segment->low && stack <= segment->high)
                target = segment;
        if (!target)
            return;
        // A handler that is left has ended; a fiber may be continued.
        while (state->segment->of_signals && !is_base(*state->top))
            pop_frame(*state, now, true);
        switch_segment(*state, target, now);
    }
    while (state->top->stack < stack && !is_base(*state->top))
        pop_frame(*state, now, true);
}

// Begins the end of a region or section. Returns whether this was all there is to do because it
// lies above what is recorded.
static bool end_above_frames(ThreadState& state, std::uint64_t now) {
    if (counter_calls)
        counter_calls->read(state, now);
    catch_up_with_pauses(state, 0, 0);
    if (state.top->start != frame_overflow)
        return false;
    if (--state.overflow_depth == 0)
        pop_frame(state, now, false);
    return true;
}

RegionEnd end_region(ThreadState* state, std::uintptr_t key, RegionChoice which) {
    std::uint64_t now = tree_ticks();
    SlowPath guard(*state, 0);
    if (end_above_frames(*state, now))
        return RegionEnd::ended;
    Frame* innermost = nullptr;
    for (Frame* frame = state->top; !is_base(*frame); frame--) {
        if (frame->node->kind != NodeKind::region)
            continue;
        if (!innermost)
            innermost = frame;
        if (frame->node->key == key) {
            bool is_innermost = frame == innermost;
            remove_frame(*state, frame, now, true);
            return is_innermost ? RegionEnd::ended : RegionEnd::ended_other_than_innermost;
        }
    }
    if (!innermost || which == RegionChoice::this_one)
        return RegionEnd::none_open;
    remove_frame(*state, innermost, now, true);
    return RegionEnd::ended_innermost_instead;
}

FrameMark mark_of_top(const ThreadState& state) {
    return {state.top, start_of(*state.top), state.frame_moves};
}

static bool has_frame(const ThreadState& state, const void* frame) {
    for (const StackSegment* segment = state.record->segments; segment; segment = segment->next)
        if (frame >= segment->frames && frame <= segment->frames + segment->capacity)
            return true;
    return false;
}

bool end_section(ThreadState* state, std::uintptr_t key, const FrameMark* mark) {
    std::uint64_t now = tree_ticks();
    SlowPath guard(*state, 0);
    if (mark && mark->frame && !has_frame(*state, mark->frame))
        return false;  // of another thread
    if (end_above_frames(*state, now))
        return true;
    // If frames have been given another place or start in the meantime, the marked one cannot be
    // identified.
    const bool any = !mark || mark->moves != state->frame_moves;
    Frame* found = nullptr;
    for (Frame* frame = state->top; !is_base(*frame) && !found; frame--)
        if (frame->node->key == key && frame->node->kind == NodeKind::section &&
            (any || (frame == mark->frame && start_of(*frame) == mark->start)))
            found = frame;
    if (found)
        remove_frame(*state, found, now, true);
    return found;
}

void close_all_frames(ThreadState* state) {
    std::uint64_t now = tree_ticks();
    SlowPath guard(*state, 0);
    now = end_of_open(*state->record, close_pause(*state, now));
    state->segment->top = state->top;
    for (StackSegment* segment = state->record->segments; segment; segment = segment->next) {
        // Calls on a stack that was left have been suspended since then.
        std::uint64_t end = segment->suspended_at ? segment->suspended_at : now;
        state->top = segment->top;
        while (!is_base(*state->top))
            pop_frame(*state, std::max(end, start_of(*state->top)), false);
        segment->top = state->top;
        segment->interrupted = nullptr;
    }
    __atomic_store_n(&state->record->open_until, nullptr, __ATOMIC_RELEASE);
    state->segment = state->own_segment;
    state->top = state->segment->top;
    state->frames_end = state->segment->frames + state->segment->capacity - 1;
}

void note_stack_switch(std::uintptr_t stack, std::uintptr_t low, std::uintptr_t high) {
    ThreadState* state = own_thread_state;
    if (!state || !state->segment || state->ignore_events || thread_state == &busy_thread_state)
        return;
    SlowPath guard(*state, stack);
    catch_up_with_pauses(*state, 0, stack);
    if (StackSegment* segment = segment_of(*state, stack, {low, high}))
        switch_segment(*state, segment, tree_ticks());
}

}  // namespace vftrace
