#include "tree/pause.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/modules.hpp"
#include "tree/call_tree.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/own_record.hpp"
#include "tree/push_frame.hpp"
#include "tree/registry.hpp"
#include "tree/slow_path.hpp"
#include "tree/source.hpp"
#include "tree/stack_segments.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

bool paused, switched_off;
std::uint64_t last_start, last_end;  // ticks; of the last pause
std::uint64_t switched_on;           // ticks; 0: not yet

// Only one pause or resume takes place at a time.
class OnlyOne {
  public:
    OnlyOne() : held_(lock.lock()) {}
    ~OnlyOne() {
        if (held_)
            lock.unlock();
    }
    OnlyOne(const OnlyOne&) = delete;
    OnlyOne& operator=(const OnlyOne&) = delete;
    bool held() const { return held_; }

  private:
    static BoundedLock lock;
    bool held_;
};
BoundedLock OnlyOne::lock;

void begin_pause(std::uint64_t now) {
    set_shared(last_start, now);
    set_shared(process_record->pause_started, now);
    __atomic_store_n(&paused, true, __ATOMIC_RELEASE);
    ignore_events_of_all_threads();
}

void end_pause() {
    if (!is_new_child()) {  // else the record is the parent's, and the parent is still paused
        std::uint64_t now = std::max(tree_ticks(), last_start + 1);
        set_shared(last_end, now);
        set_shared(process_record->pause_started, std::uint64_t{0});
        __atomic_store_n(&process_record->paused_ticks,
                         process_record->paused_ticks + (now - last_start), __ATOMIC_RELEASE);
    }
    if (process_is_switched_off() && !is_new_child()) {
        set_shared(switched_on, plain_read(last_end));
        have_threads_look_for_open_calls();
    }
    set_shared(switched_off, false);
    __atomic_store_n(&paused, false, __ATOMIC_RELEASE);
}

}  // namespace

bool process_is_paused() { return __atomic_load_n(&paused, __ATOMIC_RELAXED); }
bool process_is_switched_off() { return plain_read(switched_off); }

void restart_pauses() { last_start = last_end = switched_on = 0; }

void pause_process(ThreadState* state, std::uintptr_t key, std::uintptr_t stack) {
    OnlyOne one;
    if (!one.held() || process_is_paused())
        return;
    SlowPath guard(*state, stack);
    catch_up_with_pauses(*state, 0, stack);
    std::uint64_t now = tree_ticks();
    if (settle(*state, stack) && state->top->start != frame_overflow) {
        if (sampling_calls)
            sampling_calls->open_callers(*state);
        Node* node = find_callee(*state, state->top->node, key);
        if (!node)
            node = new_node(*state, state->top->node, key, NodeKind::pause);
        if (node) {
            add_relaxed(node->calls, 1);
            // There is always one frame above the last one that calls may use.
            Frame* frame = state->top + 1;
            set_shared(frame->start, std::uint64_t{frame_paused});
            set_shared(frame->slow_start, now);
            set_place(frame, node, stack);
            state->top = frame;
            call_sources(&Source::thread_pauses, *state);
            note_enter(*state, node, now);
        }
    }
    begin_pause(now);
}

void switch_process_off() {
    OnlyOne one;
    if (!one.held() || !process_record || process_is_paused())
        return;
    set_shared(switched_off, true);
    begin_pause(tree_ticks());
}

void resume_process(ThreadState* state, std::uintptr_t callsite, std::uintptr_t stack) {
    OnlyOne one;
    if (!one.held() || !process_is_paused() || !process_record)
        return;
    end_pause();
    lifecycle_calls.process_resumes();
    heed_events_of_all_threads();
    if (state && state->segment) {
        SlowPath guard(*state, stack);
        catch_up_with_pauses(*state, callsite, stack);
    }
}

void switch_process_on() {
    OnlyOne one;
    if (!one.held() || !process_is_paused() || !process_record || is_new_child())
        return;
    end_pause();
    lifecycle_calls.process_resumes();
    heed_events_of_all_threads();
}

std::uint64_t switched_on_at() { return plain_read(switched_on); }

void note_pauses(ThreadState& state, std::uintptr_t callsite, std::uintptr_t stack) {
    std::uint64_t now = tree_ticks(), start = plain_read(last_start), end = plain_read(last_end);
    std::uint64_t all = __atomic_load_n(&process_record->paused_ticks, __ATOMIC_ACQUIRE);
    std::uint64_t moved = all - state.record->paused_ticks;
    set_shared(state.record->paused_ticks, all);
    if (state.top->start == frame_paused) {
        call_sources(&Source::thread_resumes, state);
        add_relaxed(state.top->node->inclusive_ticks, end - state.top->slow_start);
        note_exit(state, state.top->node, end);
        drop(&state, state.top);
    }
    if (stack >= state.segment->low && stack <= state.segment->high) {
        std::uintptr_t caller = callsite ? function_start(callsite) : 0;
        auto was_left = [&](const Frame* frame) {
            return frame->stack < stack ||
                   (caller && frame->stack == stack && body(frame) != caller &&
                    frame->node->kind == NodeKind::function);
        };
        // Earlier pauses that this thread has not noticed.
        std::uint64_t earlier = moved > end - start ? moved - (end - start) : 0;
        while (!is_base(*state.top) && was_left(state.top))
            pop_frame(state, start - earlier, true);
    }
    for (StackSegment* segment = state.record->segments; segment; segment = segment->next) {
        if (segment->suspended_at)
            segment->suspended_at += moved;
        move_starts(*segment, segment == state.segment ? state.top : segment->top, moved, now);
    }
}

std::uint64_t close_pause(ThreadState& state, std::uint64_t now) {
    catch_up_with_pauses(state, 0, 0);
    if (state.top->start == frame_paused) {
        call_sources(&Source::thread_resumes, state);
        add_relaxed(state.top->node->inclusive_ticks, now - state.top->slow_start);
        note_exit(state, state.top->node, now);
        drop(&state, state.top);
    }
    return process_is_paused() ? plain_read(last_start) : now;
}

}  // namespace vftrace
