// The hooks that gcc inserts with -pg -mfentry -mfentry-name=vftrace_function_entry
// -minstrument-return=call: called by the first instruction of a function and before its returns.
//
// They are inserted after inlining, so the rest of the code does not change. For x86-64.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__LP64__)
#define VFTRACE_HAS_PROLOGUE_HOOKS 1
#endif

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
extern "C" {
// Must not change registers, because any of them may hold the function's arguments or result.
[[gnu::no_caller_saved_registers]] void vftrace_function_entry();
[[gnu::no_caller_saved_registers]] void __return__();
// The same for files that contain hidden functions with the names above: shared libraries
// (scripts/empty_hooks.c), executables (scripts/return_hook.c).
[[gnu::no_caller_saved_registers]] void vftrace_function_entry_hook();
[[gnu::no_caller_saved_registers]] void vftrace_return_hook();
}
#endif

namespace vftrace {

// A prologue begins with an optional endbr64 and one of: call rel32; call *slot(%rip); addr32 call
// rel32, to which the linker converts the second form if the hook is in the same module. The return
// address of this call lies at this distance from the function's address.
inline constexpr std::uintptr_t shortest_prologue_call = 5, longest_prologue_call = 10;

}  // namespace vftrace
