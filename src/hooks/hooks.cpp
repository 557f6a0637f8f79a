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
    // An inlined function has the stack of the one that it is inlined into.
    static bool has_left(const Frame& top, std::uintptr_t stack) { return stack > top.stack; }

    // Compilers expect of a call what the hook may do in any case.
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
    if (!state->segment && !(state = recording_thread_state()))
        return;
    enter_slowly(state, {hook.function, NodeKind::function, hook.callsite, hook_site, stack});
}

void CalledHook::leave_unusual(CalledHook hook, ThreadState* state, std::uintptr_t stack,
                               std::uintptr_t hook_site) {
    if (!state->segment)
        return leave_fork_path(hook.function);
    // Its entry was not seen, if there is no frame of it on top.
    if (overhead_calls && state->top->node->key != hook.function &&
        overhead_calls->unwanted->contains(hook.function))
        return overhead_calls->remove_exit(*state, hook.function, hook_site, hook.callsite);
    exit_slowly(state, hook.function, NodeKind::function, stack);
}

}  // namespace

// On lines of the instruction cache: else what lies before them makes up to 6 % of what they take.
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
