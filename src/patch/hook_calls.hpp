// Removes the calls of hooks from functions while the program runs, and restores them.
//
// One byte per site is written, so that other threads that execute it see either the old or the new
// instruction; hook_sites.hpp has the table. The new instructions change at most flags, which a
// call does not preserve either. A site is changed only if it certainly leads to one of our hooks,
// and only for this function.
//
// Sites report themselves by the return address of the hook. All functions may be called on any
// thread, in signal handlers too, and preserve errno. Those that remove a call do nothing if
// another thread is changing code at this moment, because the next call comes soon; the others wait
// for it, for up to a few milliseconds. A child of vfork changes nothing.
#pragma once

#include <cstdint>

namespace vftrace {

enum class HookCall {
    removed,    // now or before
    cannot_be,  // this place: it is not an instruction that can be overwritten, it is another
                // function's too, or its memory cannot be written
    not_now     // another thread is changing code
};

// Whether everything in the body of `function` that leads to the exit hook looks as if it could be
// removed, and the code can be written at all. Functions for which this is false are better left
// as they are: an exit without its entry costs more than both.
bool hook_calls_can_be_removed(std::uintptr_t function);

// The entry hook that the code of `function` calls for itself: called from its body, as
// -finstrument-functions makes it, or from its prologue; removed calls count.
enum class EntryHook { none, in_body, in_prologue };
EntryHook entry_hook_of(std::uintptr_t function);

// The call of the entry hook that returns to `return_address`, for `function`.
HookCall remove_entry_call(std::uintptr_t function, std::uintptr_t return_address);

// The call of, or the jump to, the exit hook. `return_address` is the hook's own; `callsite` its
// second argument: they are equal if the hook was jumped to, and the jump is looked for then: all
// jumps of the function are removed. If a thousand calls still arrive, it cannot be.
HookCall remove_exit_call(std::uintptr_t function, std::uintptr_t return_address,
                          std::uintptr_t callsite);

// Where a call cannot be removed for `function`: puts back, permanently, the others that were
// removed for it in the code around `return_address`, exits first. Returns how many.
std::uint32_t keep_hook_calls_around(std::uintptr_t function, std::uintptr_t return_address);

// Puts the calls of `function` back, exits first, or those of all functions; returns how many.
std::uint32_t restore_hook_calls(std::uintptr_t function);
std::uint32_t restore_all_hook_calls();

// A library at these addresses has been unloaded. One whose unloading goes unnoticed does no harm:
// what lies at a site is looked at again before it is changed.
void forget_hook_calls(std::uintptr_t start, std::uintptr_t end);

// How many calls are removed at present.
std::uint32_t removed_hook_calls();

}  // namespace vftrace
