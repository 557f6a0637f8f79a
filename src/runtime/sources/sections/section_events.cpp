// The functions with which the program begins and ends sections.
//
// Known sections use the same fast path as the hooks: two clock readings and no call. Memory is
// read before the first clock reading and after the last one.
#include "sections/section_events.hpp"

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "guest/frame_address.hpp"
#include "guest/own_errno.hpp"
#include "queries/section_memory.hpp"
#include "sections/live_print.hpp"
#include "sections/section_handles.hpp"
#include "sections/section_snapshots.hpp"
#include "tree/activation.hpp"
#include "tree/call_tree.hpp"
#include "tree/push_frame.hpp"

namespace vftrace {
namespace {

Section& of_program(const vftrace_section* section) {
    return *static_cast<Section*>(const_cast<vftrace_section*>(section));
}

[[gnu::noinline, gnu::cold]] FrameMark begin_slowly(Section& section, std::uintptr_t stack) {
    constexpr FrameMark not_recorded{};
    ThreadState* state = recording_state_slowly();
    if (!state)
        return not_recorded;
    const std::uintptr_t key = key_of(section, *state, stack);
    const std::uint64_t dropped = state->record->dropped_calls;
    if (key)
        enter_slowly(state, {key, NodeKind::section, 0, 0, stack});
    const int saved_errno = own_errno();
    if (section.live_message)
        section_with_message_begins();
    start_section_snapshots();
    own_errno() = saved_errno;
    const bool is_on_top = state->record->dropped_calls == dropped;
    return key && (is_on_top || state->top->start == frame_overflow) ? mark_of_top(*state)
                                                                     : not_recorded;
}

[[gnu::noinline]] FrameMark begin_with_memory(Section& section, std::uintptr_t stack) {
    const bool ignored = plain_read(thread_state->ignore_events);
    const std::int64_t bytes = ignored ? unknown_memory : memory_if_cheap();
    const FrameMark mark = begin_slowly(section, stack);
    ThreadState* state = own_thread_state;
    if (mark.frame && state->top->node->key == relaxed(section.key))
        memory_at_begin(*state, bytes);
    return mark;
}

// The place of the activation on the stack: that of its guard, so that the activation is known to
// have ended when the stack has been unwound. Without a guard, or if the guard is not on the stack,
// it is the place of the innermost open function, wherever the call is.
[[gnu::always_inline]] inline std::uintptr_t place_of(const void* guard, std::uintptr_t stack,
                                                      const Frame& caller) {
    const auto place = reinterpret_cast<std::uintptr_t>(guard);
    return place > stack && place < caller.stack ? place : caller.stack;
}

// Afterwards the activation is on top, and begun(state) has been called; or begun_slowly(mark), if
// it had to be opened slowly.
template <class Begun, class BegunSlowly>
[[gnu::always_inline]] inline void begin(const vftrace_section* wanted, const void* guard,
                                         std::uintptr_t stack, Begun begun,
                                         BegunSlowly begun_slowly) {
    Section& section = of_program(wanted);
    if (section.level < levels_with_memory) [[unlikely]]
        return begun_slowly(begin_with_memory(section, stack));
    ThreadState* state = thread_state;
    const std::uintptr_t key = __atomic_load_n(&section.key, __ATOMIC_ACQUIRE);
    Node* node = key ? known_callee(*state, key, stack) : nullptr;
    if (!node) [[unlikely]]
        return begun_slowly(begin_slowly(section, stack));
    push<Timing::clock>(state, state->top + 1, node, place_of(guard, stack, *state->top));
    begun(*state);
}

// Sets the place of an activation that was opened slowly and is on top.
void move_to_guard(const void* guard, std::uintptr_t stack) {
    Frame* top = own_thread_state->top;
    if (top->node->kind == NodeKind::section)
        set_shared(top->stack, place_of(guard, stack, top[-1]));
}

// Returns whether an activation has ended.
[[gnu::noinline, gnu::cold]] bool end_slowly(Section& section, const FrameMark* mark) {
    ThreadState* state = thread_state;
    if (!state->segment || plain_read(state->ignore_events))
        state = recording_state_slowly();
    if (!state)
        return false;
    const std::uintptr_t key = __atomic_load_n(&section.key, __ATOMIC_ACQUIRE);
    if (key && end_section(state, key, mark))
        return true;
    if (mark)  // from another thread, or ended with the function in which it began
        state->record->dropped_calls++;
    else
        VFTRACE_MESSAGE_ONCE("section \"%.200s\" ends, but it is not open on this thread; ignored "
                             "(reported once)",
                             section.name);
    return false;
}

[[gnu::noinline]] void read_memory_at_end(const Section& section) {
    if (ThreadState* state = own_thread_state)
        memory_at_end(*state, relaxed(section.key));
}

// Ends the activation on top if is_meant(), or else another one.
template <class IsMeant>
[[gnu::always_inline]] inline void end(const vftrace_section* wanted, IsMeant is_meant,
                                       const FrameMark* mark) {
    const std::uint64_t now = processor_ticks();
    Section& section = of_program(wanted);
    ThreadState* state = thread_state;
    Frame* top = state->top;
    const std::uintptr_t key = __atomic_load_n(&section.key, __ATOMIC_RELAXED);
    if (plain_read(state->inverted_low) != 0 && top->node->key == key &&
        top->start > frame_last_kind && is_meant(*top)) [[likely]] {
        add_relaxed(top->node->inclusive_ticks, now - top->start);
        drop(state, top);
    } else if (!end_slowly(section, mark)) {
        return;
    }
    if (section.level < levels_with_memory) [[unlikely]]
        read_memory_at_end(section);
}

}  // namespace

void begin_section(const vftrace_section* section) {
    if (section)
        begin(
            section, nullptr, frame_address(), [](ThreadState&) {}, [](const FrameMark&) {});
}

void end_section(const vftrace_section* section) {
    if (section)
        end(
            section, [](const Frame&) { return true; }, nullptr);
}

void open_section(const vftrace_section* section, vftrace_section_mark* mark) {
    mark->frame = nullptr;
    if (!section)
        return;
    const std::uintptr_t stack = frame_address();
    begin(
        section, mark, stack,
        [&](const ThreadState& state) {
            *mark = {state.top, state.top->start, state.frame_moves};
        },
        [&](const FrameMark& opened) {
            *mark = {opened.frame, opened.start, opened.moves};
            if (opened.frame)
                move_to_guard(mark, stack);
        });
}

void close_section(const vftrace_section* section, const vftrace_section_mark* mark) {
    if (!section || !mark->frame)
        return;
    const FrameMark opened = {mark->frame, mark->start, mark->moves};
    const auto is_meant = [&](const Frame& top) {
        return &top == opened.frame && top.start == opened.start;
    };
    end(section, is_meant, &opened);
}

}  // namespace vftrace
