// The hooks that gcc calls with -pg -mfentry -mfentry-name=vftrace_function_entry
// -minstrument-return=call: from the first instruction of a function and before its returns.
//
// They are inserted after inlining, so the rest of the code does not change. For x86-64.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__LP64__)
#define VFTRACE_HAS_PROLOGUE_HOOKS 1
#endif

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
extern "C" {
// Must not change registers, because the function's arguments or result may be in any.
[[gnu::no_caller_saved_registers]] void vftrace_function_entry();
[[gnu::no_caller_saved_registers]] void __return__();
// The same for what has hidden ones by the names above: shared libraries (scripts/empty_hooks.c),
// executables (scripts/return_hook.c).
[[gnu::no_caller_saved_registers]] void vftrace_function_entry_hook();
[[gnu::no_caller_saved_registers]] void vftrace_return_hook();
}
#endif

namespace vftrace {

// A prologue begins with [endbr64] and call rel32, addr32 call rel32 (which the linker makes of the
// next where the hook is in the same module) or call *slot(%rip): its return address lies so far
// after the function's.
inline constexpr std::uintptr_t shortest_prologue_call = 5, longest_prologue_call = 10;

}  // namespace vftrace
