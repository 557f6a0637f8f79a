// The hooks that -finstrument-functions calls, from the bodies of functions.
#include "hooks/call_events.hpp"
#include "tree/fork_path.hpp"

using namespace vftrace;

namespace {

struct CalledHook {
    std::uintptr_t function, callsite;  // the arguments

    bool enters(const Node& node) const { return node.key == function; }
    std::uintptr_t entered() const { return function; }
    std::uintptr_t near_entered() const { return function; }
    bool leaves(const Frame& top, std::uintptr_t) const { return top.node->key == function; }
    // An inlined function has the stack address of the function into which it is inlined.
    static bool has_left(const Frame& top, std::uintptr_t stack) { return stack > top.stack; }

    // Nothing to preserve: compilers treat the hook as an ordinary call.
    template <class Result, class... Parameters, class... Arguments>
    [[gnu::always_inline]] static Result outside(Result (*function)(Parameters...),
                                                 Arguments&&... arguments) {
        return function(arguments...);
    }
    template <class... Parameters, class... Arguments>
    [[gnu::always_inline]] static void out_of_line(void (*function)(Parameters...),
                                                   Arguments&&... arguments) {
        return function(arguments...);
    }

    [[gnu::noinline]] static void enter_hashed(CalledHook hook, ThreadState* state,
                                               std::uintptr_t stack, std::uintptr_t hook_site) {
        vftrace::enter_hashed(hook, state, stack, hook_site);
    }
    [[gnu::noinline, gnu::cold]] static void enter_unusual(CalledHook hook, ThreadState* state,
                                                           std::uintptr_t stack,
                                                           std::uintptr_t hook_site);
    [[gnu::noinline, gnu::cold]] static void leave_unusual(CalledHook hook, ThreadState* state,
                                                           std::uintptr_t stack,
                                                           std::uintptr_t hook_site);
};

void CalledHook::enter_unusual(CalledHook hook, ThreadState* state, std::uintptr_t stack,
                               std::uintptr_t hook_site) {
    if (off_calls)
        return off_calls->remove_entry(hook.function, hook_site);
    if (!state->segment && !(state = recording_state_slowly()))
        return;
    enter_slowly(state, {hook.function, NodeKind::function, hook.callsite, hook_site, stack});
}

void CalledHook::leave_unusual(CalledHook hook, ThreadState* state, std::uintptr_t stack,
                               std::uintptr_t hook_site) {
    if (off_calls)
        return off_calls->remove_exit(hook.function, hook_site, hook.callsite);
    if (!state->segment)
        return leave_fork_path(hook.function);
    // If the function's frame is not on top, its entry was not seen.
    if (overhead_calls && state->top->node->key != hook.function &&
        overhead_calls->unwanted->contains(hook.function))
        return overhead_calls->remove_exit(*state, hook.function, hook_site, hook.callsite);
    exit_slowly(state, hook.function, NodeKind::function, stack);
}

}  // namespace

// Aligned to lines of the instruction cache: otherwise the code before them changes their cost by
// up to 6 %.
extern "C" [[gnu::visibility("default"), gnu::aligned(64)]] void
__cyg_profile_func_enter(void* function, void* callsite) {
    enter(CalledHook{reinterpret_cast<std::uintptr_t>(function),
                     reinterpret_cast<std::uintptr_t>(callsite)});
}

extern "C" [[gnu::visibility("default"), gnu::aligned(64)]] void
__cyg_profile_func_exit(void* function, void* callsite) {
    leave(CalledHook{reinterpret_cast<std::uintptr_t>(function),
                     reinterpret_cast<std::uintptr_t>(callsite)});
}
