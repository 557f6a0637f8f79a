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
    cannot_be,  // not here: the instruction cannot be overwritten, it is another function's too, or
                // its memory cannot be written
    not_now     // another thread is changing code
};

// Whether everything in the body of `function` that leads to the exit hook looks as if it could be
// removed, and the code can be written at all. Functions for which this is false are better left
// as they are: an exit without its entry costs more than both.
bool hook_calls_can_be_removed(std::uintptr_t function);

// The entry hook that the code of `function` calls for itself: called from its body, as with
// -finstrument-functions, or from its prologue; removed calls count too.
enum class EntryHook { none, in_body, in_prologue };
EntryHook entry_hook_of(std::uintptr_t function);

// Removes the call of the entry hook that returns to `return_address`, for `function`.
HookCall remove_entry_call(std::uintptr_t function, std::uintptr_t return_address);

// Removes the call of, or the jump to, the exit hook. `return_address` is the hook's own,
// `callsite` its second argument. They are equal if the hook was reached by a jump: then all jumps
// of the function to the hook are searched for and removed. If a thousand calls still arrive, it
// cannot be.
HookCall remove_exit_call(std::uintptr_t function, std::uintptr_t return_address,
                          std::uintptr_t callsite);

// For when a call cannot be removed for `function`: permanently restores the others that were
// removed for it in the code around `return_address`, exits first. Returns how many.
std::uint32_t keep_hook_calls_around(std::uintptr_t function, std::uintptr_t return_address);

// Restores the calls of `function`, exits first, or those of all functions; returns how many.
std::uint32_t restore_hook_calls(std::uintptr_t function);
std::uint32_t restore_all_hook_calls();

// To be called when a library at these addresses has been unloaded. One whose unloading goes
// unnoticed does no harm: a site is checked again before it is changed.
void forget_hook_calls(std::uintptr_t start, std::uintptr_t end);

// The number of calls that are currently removed.
std::uint32_t removed_hook_calls();

}  // namespace vftrace
