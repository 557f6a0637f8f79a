// Takes the calls of the hooks out of functions while the program runs, and puts them back.
//
// One byte a site is written, so that other threads that run through it see the old or the new
// instruction, and nothing else (Intel SDM 8.1.3 and AMD APM 7.6.1 warn of wider changes):
//
//     call rel32           E8 -> A9    test eax, imm32
//     call *disp32(%rip)   FF -> 85    test [rip + disp32], edx: reads the address of the hook
//     jmp rel32            E9 -> C3    ret: the hook was the last thing that the function did
//     jmp *disp32(%rip)    FF -> C3
//
// A call has the scratch registers and flags that the new instructions change destroyed as well.
// A site is changed only if it is such an instruction and leads to one of our hooks for certain.
//
// Sites report themselves: by the address that the hook returns to. All functions may be called on
// any thread, in signal handlers too; one that finds another one at work does nothing.
#pragma once

#include <cstdint>

namespace vftrace {

enum class HookCall {
    removed,    // now or before
    cannot_be,  // it is no instruction that can be overwritten, or its memory cannot be written
    not_now     // somebody else is changing code
};

// Whether everything in the body of `function` that leads to the exit hook looks as if it could be
// removed, and the code can be written at all. Functions for which this is false are better left
// as they are: an exit without its entry costs more than both.
bool hook_calls_can_be_removed(std::uintptr_t function);

// The call of the entry hook that returns to `return_address`, for `function`.
HookCall remove_entry_call(std::uintptr_t function, std::uintptr_t return_address);

// The call of, or the jump to, the exit hook. `return_address` is the hook's own; `callsite` its
// second argument: they are equal if the hook was jumped to, and the jump is looked for then.
HookCall remove_exit_call(std::uintptr_t function, std::uintptr_t return_address,
                          std::uintptr_t callsite);

// Puts the calls of `function` back, entry last, or those of all functions; returns how many.
std::uint32_t restore_hook_calls(std::uintptr_t function);
std::uint32_t restore_all_hook_calls();

// A library at these addresses has been unloaded.
void forget_hook_calls(std::uintptr_t start, std::uintptr_t end);

// How many calls are removed at present.
std::uint32_t removed_hook_calls();

}  // namespace vftrace
