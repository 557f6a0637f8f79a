// The hot path: what a call of an instrumented function costs, on one screen.
//
// Entry and exit together run at most 50 instructions, call nothing and take no lock (a test reads
// the disassembly). One comparison each for: not recording (the state's lowest stack lies above
// every stack), another stack or frames left by longjmp (address order), too deep. The clock is
// read last at entry and first at exit; it is most of the cost (see doc/design/hot-path.md).
//
// A state that is all zero (in a child of fork, see tree/thread_state.hpp) goes the slow way too.
//
// Built with -mgeneral-regs-only and without any instrumentation of its own.
#include "hooks/frame_address.hpp"
#include "hooks/traced_hooks.hpp"
#include "tree/call_tree.hpp"
#include "tree/fork_path.hpp"
#include "tree/push_frame.hpp"
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

[[gnu::noinline, gnu::cold]] void exit_unusual(ThreadState* state, void* function,
                                               std::uintptr_t stack) {
    if (!state->segment)
        return leave_fork_path(reinterpret_cast<std::uintptr_t>(function));
    exit_slowly(state, reinterpret_cast<std::uintptr_t>(function), NodeKind::function, stack);
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
        return push<Timing::clock>(state, top + 1, node, stack);
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

[[gnu::noinline]] void exit_elsewhere(ThreadState* state, void* function, std::uintptr_t stack) {
    if (!state->trace || !exit_traced(state, reinterpret_cast<std::uintptr_t>(function)))
        [[unlikely]]
        exit_unusual(state, function, stack);
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
    push<Timing::clock>(state, top + 1, node, stack);
}

extern "C" [[gnu::visibility("default")]] void __cyg_profile_func_exit(void* function, void*) {
    ThreadState* state = thread_state;
    if (shared(state->inverted_low) == 0) [[unlikely]] {
        if (shared(state->ignore_events)) [[likely]]
            return return_at_once();
        return exit_elsewhere(state, function, frame_address());
    }
    Frame* top = state->top;
    Node* node = top->node;
    std::uint64_t start = top->start;
    if (node->key != reinterpret_cast<std::uintptr_t>(function)) [[unlikely]]
        return exit_unusual(state, function, frame_address());
    if (start <= frame_last_kind) [[unlikely]] {
        if (start == frame_nested)  // while folding, exits go the slow way
            return drop(state, top);
        return exit_unusual(state, function, frame_address());
    }
    add_relaxed(node->inclusive_ticks, processor_ticks() - start);
    drop(state, top);
}
