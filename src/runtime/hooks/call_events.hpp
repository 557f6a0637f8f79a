// What happens when an instrumented function is entered and left: the hot path of all hooks, in one
// place.
//
// Entry and exit together run at most 61 instructions, call nothing and take no lock (a test reads
// the disassembly). There is one comparison each for: not recording (the state's lowest stack
// address lies above every stack), another stack or frames left by longjmp (address order), too
// deep. The clock is read last at entry and first at exit; it is most of the cost (see
// doc/design/call-tree.md). Most calls of thinned nodes do not read it (tree/thinning.hpp).
//
// A state that is all zero (in a child of fork, see tree/thread_state.hpp) takes the slow path too.
//
// `Hook` is the kind of hook that was called: CalledHook (hooks.cpp) or PrologueHook
// (prologue_hooks.cpp). It knows how to find the function, and what to preserve when the hot path
// is left:
//
//     Hook::out_of_line(function, arguments...)   to a rare part of this file
//     Hook::outside(function, arguments...)       from there to the rest of the library, except
//                                                 tree/thinning.cpp, which is built like this
//     Hook::enter_hashed(...)                     to the function of that name
//
// Built with -mgeneral-regs-only and without being instrumented itself.
#pragma once

#include "base/relaxed.hpp"
#include "guest/frame_address.hpp"
#include "hooks/traced_hooks.hpp"
#include "tree/call_tree.hpp"
#include "tree/folding.hpp"
#include "tree/latencies.hpp"
#include "tree/push_frame.hpp"
#include "tree/thinning.hpp"
#include "tree/thread_state.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

template <class Hook>
[[gnu::always_inline]] inline void review_if_due(ThreadState& state, std::uint64_t now) {
    if (overhead_calls && now >= plain_read(next_review)) [[unlikely]]
        Hook::outside(overhead_calls->review, state, now);
}

// A folded level of recursion. It triggers reviews because few other calls would do so there.
template <class Hook>
[[gnu::always_inline]] inline void enter_fold(ThreadState* state, Node* alias,
                                              std::uintptr_t stack) {
    set_shared(alias->timing, look_due - 1);
    push_fold(state, state->top + 1, alias, stack);
    review_if_due<Hook>(*state, state->top->slow_start);
}

// A call at which the node's count has ended: the call is to be timed, the node to be examined, or
// its function may have become unwanted.
template <class Hook>
[[gnu::noinline]] void enter_due(ThreadState* state, Node* node, std::uintptr_t stack,
                                 std::uintptr_t hook_site) {
    Frame* frame = state->top + 1;
    if (overhead_calls && overhead_calls->unwanted->contains(node->key)) [[unlikely]] {
        if (Hook::outside(overhead_calls->remove_entry, *state, node->key, hook_site))
            return set_shared(node->timing, node->timing - 1);
        if (!node->in_fold && node->kind != NodeKind::alias) {
            mute(state->random, *node);
            return push<Timing::untimed>(state, frame, node, stack);
        }
    }
    if (node->kind == NodeKind::alias)
        return enter_fold<Hook>(state, node, stack);
    if (plain_read(node->flags) & node_unwanted)
        __atomic_fetch_and(&node->flags, static_cast<std::uint8_t>(~node_unwanted),
                           __ATOMIC_RELAXED);
    std::int32_t timing = plain_read(node->timing);
    // At muted_calls_end either the function is wanted again, or a signal handler has jumped out of
    // the hook of a call that was due.
    if (timing == timed_call_due || begin_look(*node))
        return push_thinned(state, frame, node, stack);
    push<Timing::clock>(state, frame, node, stack);
    review_if_due<Hook>(*state, processor_ticks());
}

// Recursion is not timed, so nothing else would trigger reviews or notice their results. Returns
// whether the call's hook has been removed. Then open frames of the function are closed early:
// their time is part of their caller's anyway.
template <class Hook>
[[gnu::noinline, gnu::cold]] bool remove_nested(ThreadState* state, std::uintptr_t key,
                                                std::uintptr_t hook_site) {
    review_if_due<Hook>(*state, processor_ticks());
    return overhead_calls->unwanted->contains(key) &&
           Hook::outside(overhead_calls->remove_entry, *state, key, hook_site);
}

// The same at every n-th call of the node's function by the function itself.
template <class Hook>
[[gnu::always_inline]] inline bool remove_nested_now_and_then(ThreadState* state, const Node& node,
                                                              std::uintptr_t hook_site) {
    constexpr std::uint64_t calls_without_look = 4095;
    return (node.nested_calls & calls_without_look) == calls_without_look && overhead_calls &&
           remove_nested<Hook>(state, node.key, hook_site);
}

// A call on a traced thread at which the node's count has ended, as in enter_due(), but nothing is
// thinned. Returns whether the call's hook has been removed.
template <class Hook>
[[gnu::noinline]] bool remove_traced(ThreadState* state, Node* node, std::uintptr_t hook_site) {
    set_shared(node->timing, look_due - 1);
    if (!overhead_calls)
        return false;
    if (overhead_calls->unwanted->contains(node->key) &&
        Hook::outside(overhead_calls->remove_entry, *state, node->key, hook_site))
        return true;
    if (node->kind != NodeKind::alias)
        begin_look(*node);
    review_if_due<Hook>(*state, processor_ticks());
    return false;
}

// Enters a callee that is in the table.
template <class Hook>
[[gnu::always_inline]] inline void enter_callee(ThreadState* state, Node* node,
                                                std::uintptr_t stack, std::uintptr_t hook_site) {
    Frame* top = state->top;
    top->node->last_callee = node;
    add_relaxed(node->table_entries, 1);
    if (is_timed(node))
        return push<Timing::clock>(state, top + 1, node, stack);
    if (is_due(node)) [[unlikely]]
        return Hook::out_of_line(enter_due<Hook>, state, node, stack, hook_site);
    push<Timing::untimed>(state, top + 1, node, stack);
}

// Enters a callee that is not found under nearby keys, or that is the running function itself.
template <class Hook>
[[gnu::noinline]] void enter_unknown(Hook hook, ThreadState* state, std::uintptr_t stack,
                                     std::uintptr_t hook_site) {
    const std::uintptr_t key = hook.entered();
    Node* parent = state->top->node;
    if (key != parent->key) {
        if (Node* node = known_in_table(*state, parent, key))  // a function that is not aligned
            return enter_callee<Hook>(state, node, stack, hook_site);
        return Hook::outside(Hook::enter_unusual, hook, state, stack, hook_site);
    }
    // Direct recursion stays on one node, with the time of the outermost call.
    if (remove_nested_now_and_then<Hook>(state, *parent, hook_site)) [[unlikely]]
        return;
    push<Timing::nested>(state, state->top + 1, parent, stack);
}

// Another callee than last time.
template <class Hook>
[[gnu::always_inline]] inline void enter_hashed(Hook hook, ThreadState* state, std::uintptr_t stack,
                                                std::uintptr_t hook_site) {
    Node* parent = state->top->node;
    Node* node = hook.enters(*parent)
                     ? nullptr
                     : known_in_table(*state, parent, hook.near_entered(),
                                      [hook](const Node& callee) { return hook.enters(callee); });
    if (!node) [[unlikely]]
        return Hook::out_of_line(enter_unknown<Hook>, hook, state, stack, hook_site);
    enter_callee<Hook>(state, node, stack, hook_site);
}

// For traced threads and for unusual cases.
template <class Hook>
[[gnu::noinline]] void enter_elsewhere(Hook hook, ThreadState* state, std::uintptr_t stack,
                                       std::uintptr_t hook_site) {
    if (!state->trace || !enter_traced(state, hook, stack, hook_site)) [[unlikely]]
        Hook::outside(Hook::enter_unusual, hook, state, stack, hook_site);
}

template <class Hook>
[[gnu::noinline]] void leave_elsewhere(Hook hook, ThreadState* state, std::uintptr_t stack,
                                       std::uintptr_t hook_site) {
    if (!state->trace || !leave_traced(state, hook, stack)) [[unlikely]]
        Hook::outside(Hook::leave_unusual, hook, state, stack, hook_site);
}

template <class Hook>
[[gnu::noinline, gnu::cold]] void leave_unusual(Hook hook, ThreadState* state, std::uintptr_t stack,
                                                std::uintptr_t hook_site) {
    Hook::outside(Hook::leave_unusual, hook, state, stack, hook_site);
}

template <class Hook>
[[gnu::noinline]] void leave_fold(Hook hook, ThreadState* state, std::uintptr_t stack,
                                  std::uintptr_t hook_site) {
    const std::uint64_t now = processor_ticks();
    Frame* top = state->top;
    Node* alias = alias_of(*state, *top);
    if (!alias) [[unlikely]]
        return Hook::outside(Hook::leave_unusual, hook, state, stack, hook_site);
    add_relaxed(alias->inclusive_ticks, now - top->slow_start);
    drop(state, top);
}

template <class Hook>
[[gnu::noinline]] void leave_thinned(ThreadState* state, Frame* top) {
    std::uint64_t now = serialized_processor_ticks();
    Node* node = top->node;
    std::uint64_t ticks = now - top->slow_start;
    drop(state, top);
    const std::uint64_t calls = note_thinned_call(state->random, *node, ticks);
    if (ticks >= least_latency_ticks) [[unlikely]]
        Hook::outside(count_thinned_latency, *state, *node, ticks, calls);
    review_if_due<Hook>(*state, now);
}

// The place where the hook was called into which this is inlined: read late, because most calls do
// not need it.
[[gnu::always_inline]] inline std::uintptr_t hook_site() {
    return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

// Taken at every call in programs that are switched off or paused. The statement keeps the compiler
// from merging this return with the usual one, which would cost a second jump.
[[gnu::always_inline]] inline void return_at_once() { asm volatile(""); }

// The rest of enter(). `site` is hook_site(), or returns what it returned.
template <class Hook, class Site>
[[gnu::always_inline]] inline void enter_on_hot_path(Hook hook, ThreadState* state,
                                                     std::uintptr_t stack, Site site) {
    Frame* top = state->top;
    Node* node = top->node->last_callee;
    if (!hook.enters(*node)) [[unlikely]]
        return Hook::enter_hashed(hook, state, stack, site());
    if (!is_timed(node)) [[unlikely]] {
        if (is_due(node)) [[unlikely]]
            return Hook::out_of_line(enter_due<Hook>, state, node, stack, site());
        return push<Timing::untimed>(state, top + 1, node, stack);
    }
    push<Timing::clock>(state, top + 1, node, stack);
}

// The thread has left its processor since the last event: that belongs to the path in which it
// still is. (The hot path itself must not continue after a call, which would cost registers.)
template <class Hook>
[[gnu::noinline, gnu::cold]] void enter_switched(Hook hook, ThreadState* state,
                                                 std::uintptr_t stack, std::uintptr_t hook_site) {
    Hook::outside(book_switches, *state, stack);
    enter_on_hot_path(hook, state, stack, [hook_site] { return hook_site; });
}

template <class Hook>
[[gnu::always_inline]] inline void enter(Hook hook) {
    ThreadState* state = thread_state;
    std::uintptr_t stack = frame_address();
    asm("" : "+r"(stack));  // otherwise it would be computed three times
    Frame* top = state->top;
    if (is_below_hot_stack(*state, stack) || Hook::has_left(*top, stack) ||
        top >= state->frames_end) [[unlikely]] {
        if (plain_read(state->ignore_events) && !off_calls) [[likely]]
            return return_at_once();
        return Hook::out_of_line(enter_elsewhere<Hook>, hook, state, stack, hook_site());
    }
    if (has_switched(*state)) [[unlikely]]
        return Hook::out_of_line(enter_switched<Hook>, hook, state, stack, hook_site());
    enter_on_hot_path(hook, state, stack, hook_site);
}

// The rest of leave().
template <class Hook, class Site>
[[gnu::always_inline]] inline void leave_on_hot_path(Hook hook, ThreadState* state,
                                                     std::uintptr_t stack, Site site) {
    Frame* top = state->top;
    Node* node = top->node;
    std::uint64_t start = top->start;
    if (!hook.leaves(*top, stack)) [[unlikely]]
        return Hook::out_of_line(leave_unusual<Hook>, hook, state, stack, site());
    if (start <= frame_last_kind) [[unlikely]] {
        if (is_timeless(start)) [[likely]]
            return drop(state, top);
        if (start == frame_fold)
            return Hook::out_of_line(leave_fold<Hook>, hook, state, stack, site());
        if (start == frame_thinned)
            return Hook::out_of_line(leave_thinned<Hook>, state, top);
        return Hook::out_of_line(leave_unusual<Hook>, hook, state, stack, site());
    }
    const std::uint64_t now = processor_ticks();
    add_relaxed(node->inclusive_ticks, now - start);
    drop(state, top);
    if (now - start >= least_latency_ticks) [[unlikely]]
        Hook::out_of_line(note_latency<Hook>, state, node, now - start, now);
}

template <class Hook>
[[gnu::noinline, gnu::cold]] void leave_switched(Hook hook, ThreadState* state,
                                                 std::uintptr_t stack, std::uintptr_t hook_site) {
    Hook::outside(book_switches, *state, stack);
    leave_on_hot_path(hook, state, stack, [hook_site] { return hook_site; });
}

template <class Hook>
[[gnu::always_inline]] inline void leave(Hook hook) {
    ThreadState* state = thread_state;
    if (plain_read(state->inverted_low) == 0) [[unlikely]] {
        if (plain_read(state->ignore_events) && !off_calls) [[likely]]
            return return_at_once();
        return Hook::out_of_line(leave_elsewhere<Hook>, hook, state, frame_address(), hook_site());
    }
    if (has_switched(*state)) [[unlikely]]
        return Hook::out_of_line(leave_switched<Hook>, hook, state, frame_address(), hook_site());
    leave_on_hot_path(hook, state, frame_address(), hook_site);
}

}  // namespace vftrace
