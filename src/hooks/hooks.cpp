// The hot path: what a call of an instrumented function costs, on one screen.
//
// Entry and exit together run at most 50 instructions, call nothing and take no lock (a test reads
// the disassembly). One comparison each for: not recording (the state's lowest stack lies above
// every stack), another stack or frames left by longjmp (address order), too deep. The clock is
// read last at entry and first at exit; it is most of the cost (see doc/design/call-tree.md). Most
// calls of thinned nodes do not read it (tree/thinning.hpp).
//
// A state that is all zero (in a child of fork, see tree/thread_state.hpp) goes the slow way too.
//
// Built with -mgeneral-regs-only and without any instrumentation of its own.
#include "hooks/frame_address.hpp"
#include "hooks/traced_hooks.hpp"
#include "tree/call_tree.hpp"
#include "tree/fork_path.hpp"
#include "tree/overhead_calls.hpp"
#include "tree/push_frame.hpp"
#include "tree/thinning.hpp"
#include "tree/thread_state.hpp"

using namespace vftrace;

namespace {

[[gnu::noinline, gnu::cold]] void enter_unusual(ThreadState* state, void* function, void* callsite,
                                                std::uintptr_t stack, void* hook_site) {
    if (!state->segment && !(state = recording_thread_state()))
        return;
    enter_slowly(state, {reinterpret_cast<std::uintptr_t>(function), NodeKind::function,
                         reinterpret_cast<std::uintptr_t>(callsite),
                         reinterpret_cast<std::uintptr_t>(hook_site), stack});
}

// How the hook was called: what is needed to find the call in the code.
struct Caller {
    void* callsite;   // the hook's second argument
    void* hook_site;  // the hook's return address
};

[[gnu::noinline, gnu::cold]] void exit_unusual(ThreadState* state, void* function,
                                               std::uintptr_t stack, Caller caller) {
    auto key = reinterpret_cast<std::uintptr_t>(function);
    if (!state->segment)
        return leave_fork_path(key);
    // Its entry was not seen, if there is no frame of it on top.
    if (overhead_calls && state->top->node->key != key && overhead_calls->is_unwanted(key))
        return overhead_calls->remove_exit(*state, key,
                                           reinterpret_cast<std::uintptr_t>(caller.hook_site),
                                           reinterpret_cast<std::uintptr_t>(caller.callsite));
    exit_slowly(state, key, NodeKind::function, stack);
}

// A call that was counted out: it is to be timed, its node to be looked at, or its function may not
// be wanted any more.
[[gnu::noinline]] void enter_due(ThreadState* state, Node* node, std::uintptr_t stack,
                                 void* hook_site) {
    Frame* frame = state->top + 1;
    if (overhead_calls && overhead_calls->is_unwanted(node->key)) [[unlikely]] {
        if (overhead_calls->remove_entry(*state, node->key,
                                         reinterpret_cast<std::uintptr_t>(hook_site)))
            return set_shared(node->timing, node->timing - 1);
        mute(*state, *node);
        return push<Timing::untimed>(state, frame, node, stack);
    }
    node->flags &= static_cast<std::uint8_t>(~node_unwanted);
    std::int32_t timing = shared(node->timing);
    // At the end of what is for calls that are mute the function is wanted again, or a signal
    // handler has jumped out of the hook of a call that was due.
    if (timing == timed_call_due || begin_look(*node))
        return push_thinned(state, frame, node, stack);
    push<Timing::clock>(state, frame, node, stack);
    review_if_due(*state, processor_ticks());
}

// Whether the call of a callee that the hot path may go to is timed there. Counts it.
[[gnu::always_inline]] inline bool is_timed(Node* node) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    bool timed;
    asm("addl $1, %0" : "+m"(node->timing), "=@ccs"(timed));
    return timed;
#else
    set_shared(node->timing, shared(node->timing) + 1);
    return shared(node->timing) < 0;
#endif
}

[[gnu::always_inline]] inline bool is_due(const Node* node) {
    return (shared(node->timing) & timing_mask) == 0;
}

// Recursion is not timed, so that nothing else would bring about reviews or notice them. Returns
// whether the call's hook is gone. Frames of the function that are open are closed early then:
// their time is their caller's anyway.
[[gnu::noinline, gnu::cold]] bool remove_nested(ThreadState* state, std::uintptr_t key,
                                                void* hook_site) {
    review_if_due(*state, processor_ticks());
    return overhead_calls->is_unwanted(key) &&
           overhead_calls->remove_entry(*state, key, reinterpret_cast<std::uintptr_t>(hook_site));
}
constexpr std::uint64_t nested_calls_without_look = 4095;

// Another callee than last time: the table knows it, or it is new.
[[gnu::noinline]] void enter_hashed(ThreadState* state, void* function, void* callsite,
                                    std::uintptr_t stack, void* hook_site) {
    auto key = reinterpret_cast<std::uintptr_t>(function);
    Frame* top = state->top;
    Node* parent = top->node;
    // Direct recursion stays on one node, and its time is that of the outermost call.
    if (key == parent->key) {
        if ((parent->nested_calls & nested_calls_without_look) == nested_calls_without_look)
            [[unlikely]] {
            if (overhead_calls && remove_nested(state, key, hook_site))
                return;
        }
        return push<Timing::nested>(state, top + 1, parent, stack);
    }
    if (Node* node = known_in_table(*state, parent, key)) {
        parent->last_callee = node;
        add_relaxed(node->table_entries, 1);
        if (is_timed(node))
            return push<Timing::clock>(state, top + 1, node, stack);
        if (is_due(node))
            return enter_due(state, node, stack, hook_site);
        return push<Timing::untimed>(state, top + 1, node, stack);
    }
    enter_unusual(state, function, callsite, stack, hook_site);
}

// Threads that are traced, and what is unusual.
[[gnu::noinline]] void enter_elsewhere(ThreadState* state, void* function, void* callsite,
                                       std::uintptr_t stack, void* hook_site) {
    if (!state->trace || !enter_traced(state, reinterpret_cast<std::uintptr_t>(function), stack))
        [[unlikely]]
        enter_unusual(state, function, callsite, stack, hook_site);
}

[[gnu::noinline]] void exit_elsewhere(ThreadState* state, void* function, std::uintptr_t stack,
                                      Caller caller) {
    if (!state->trace || !exit_traced(state, reinterpret_cast<std::uintptr_t>(function)))
        [[unlikely]]
        exit_unusual(state, function, stack, caller);
}

[[gnu::noinline]] void exit_thinned(ThreadState* state, Frame* top) {
    std::uint64_t now = serialized_processor_ticks();
    Node* node = top->node;
    std::uint64_t ticks = now - top->slow_start;
    drop(state, top);
    note_thinned_call(*state, *node, ticks);
    review_if_due(*state, now);
}

// Off and paused programs leave here at every call. The statement keeps the compiler from merging
// this return with the usual one, which would be a second jump.
[[gnu::always_inline]] inline void return_at_once() { asm volatile(""); }

}  // namespace

extern "C" [[gnu::visibility("default")]] void __cyg_profile_func_enter(void* function,
                                                                        void* callsite) {
    ThreadState* state = thread_state;
    std::uintptr_t stack = frame_address();
    asm("" : "+r"(stack));  // else it is computed three times
    Frame* top = state->top;
    if (is_below_hot_stack(*state, stack) || stack > top->stack || top >= state->frames_end)
        [[unlikely]] {
        if (shared(state->ignore_events)) [[likely]]
            return return_at_once();
        return enter_elsewhere(state, function, callsite, stack, __builtin_return_address(0));
    }
    Node* node = top->node->last_callee;
    if (node->key != reinterpret_cast<std::uintptr_t>(function)) [[unlikely]]
        return enter_hashed(state, function, callsite, stack, __builtin_return_address(0));
    if (!is_timed(node)) [[unlikely]] {
        if (is_due(node)) [[unlikely]]
            return enter_due(state, node, stack, __builtin_return_address(0));
        return push<Timing::untimed>(state, top + 1, node, stack);
    }
    push<Timing::clock>(state, top + 1, node, stack);
}

extern "C" [[gnu::visibility("default")]] void __cyg_profile_func_exit(void* function,
                                                                       void* callsite) {
    ThreadState* state = thread_state;
    if (shared(state->inverted_low) == 0) [[unlikely]] {
        if (shared(state->ignore_events)) [[likely]]
            return return_at_once();
        return exit_elsewhere(state, function, frame_address(),
                              {callsite, __builtin_return_address(0)});
    }
    Frame* top = state->top;
    Node* node = top->node;
    std::uint64_t start = top->start;
    if (node->key != reinterpret_cast<std::uintptr_t>(function)) [[unlikely]]
        return exit_unusual(state, function, frame_address(),
                            {callsite, __builtin_return_address(0)});
    if (start <= frame_last_kind) [[unlikely]] {
        if (is_timeless(start)) [[likely]]  // while folding, exits go the slow way
            return drop(state, top);
        if (start == frame_thinned)
            return exit_thinned(state, top);
        return exit_unusual(state, function, frame_address(),
                            {callsite, __builtin_return_address(0)});
    }
    add_relaxed(node->inclusive_ticks, processor_ticks() - start);
    drop(state, top);
}
