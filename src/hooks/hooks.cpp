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

// The timed call of a thinned node, or one of a function that may not be wanted any more.
[[gnu::noinline]] void enter_due(ThreadState* state, Node* node, std::uintptr_t stack,
                                 void* hook_site) {
    if (overhead_calls && overhead_calls->is_unwanted(node->key)) [[unlikely]] {
        if (overhead_calls->remove_entry(*state, node->key,
                                         reinterpret_cast<std::uintptr_t>(hook_site)))
            return;
        mute(*node);
        return push<Timing::untimed>(state, state->top + 1, node, stack);
    }
    if (shared(node->untimed_left) == ask_first) {
        set_shared(node->untimed_left, every_call_timed);
        return push<Timing::clock>(state, state->top + 1, node, stack);
    }
    push_thinned(state, state->top + 1, node, stack);
}

// A callee that the hot path may go to.
[[gnu::always_inline]] inline void enter_known(ThreadState* state, Frame* top, Node* node,
                                               std::uintptr_t stack, void* hook_site) {
    std::int32_t untimed_left = shared(node->untimed_left);
    if (untimed_left != every_call_timed) [[unlikely]] {
        if (untimed_left <= 0) [[unlikely]]
            return enter_due(state, node, stack, hook_site);
        set_shared(node->untimed_left, untimed_left - 1);
        return push<Timing::untimed>(state, top + 1, node, stack);
    }
    push<Timing::clock>(state, top + 1, node, stack);
}

// Another callee than last time: the table knows it, or it is new.
[[gnu::noinline]] void enter_hashed(ThreadState* state, void* function, void* callsite,
                                    std::uintptr_t stack, void* hook_site) {
    auto key = reinterpret_cast<std::uintptr_t>(function);
    Frame* top = state->top;
    Node* parent = top->node;
    // Direct recursion stays on one node, and its time is that of the outermost call.
    if (key == parent->key)
        return push<Timing::nested>(state, top + 1, parent, stack);
    if (Node* node = known_in_table(*state, parent, key)) {
        parent->last_callee = node;
        add_relaxed(node->table_entries, 1);
        return enter_known(state, top, node, stack, hook_site);
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
    std::uint64_t now = processor_ticks();
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
    enter_known(state, top, node, stack, __builtin_return_address(0));
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
    std::uint64_t ticks = processor_ticks() - start;
    add_relaxed(node->inclusive_ticks, ticks);
    drop(state, top);
    if (ticks < state->short_call) [[unlikely]]
        note_short_call(*state, *node, start + ticks);
}
