// Finds the instructions that lead to a hook, and the byte that replaces one of theirs.
//
//     call rel32            E8 -> A9    test eax, imm32
//     call r/m64            FF -> 85    test r/m32, edx: ModRM selects edx where FF selects call
//     jmp rel32, jmp r/m64  E9, FF -> C3    ret
//
// A `jcc rel32` to the exit hook, which clang generates, would need two bytes: it cannot be
// removed. The functions here only read. On processors other than x86-64 nothing is found.
#pragma once

#include <cstdint>

#include "guest/modules.hpp"
#include "patch/body_sweep.hpp"
#include "patch/module_code.hpp"
#include "patch/site_table.hpp"

namespace vftrace {

struct HookSite {
    std::uintptr_t address = 0;  // of the byte to change; 0: none
    std::uint8_t original = 0, replacement = 0;
    explicit operator bool() const { return address; }
};

// Whether a byte may be the replacement at a site.
constexpr bool is_replacement(std::uint8_t byte) {
    return byte == 0xa9 || byte == 0x85 || byte == 0xc3;
}

// The body of the function, or the part of one, that `address` lies in: according to its unwind
// table, which stripped programs have too. Empty if there is none, or if it is so large that
// looking through it would take more than about a millisecond.
CodeRange body_around(const ModuleCode& module, std::uintptr_t address);
CodeRange body_in(const ModuleCode& module, FunctionRange range);

// The body of a function and the parts of it that the compiler moved away (`f.cold`): those that
// its jumps lead to. Returns the number of ranges in `parts`, at most `room`; 0 if its body is not
// known.
std::size_t parts_of(const ModuleCode& module, std::uintptr_t function, const SiteTable& patched,
                     CodeRange* parts, std::size_t room);
inline constexpr std::size_t max_parts = 8;

// The call of the hook at address `hook` that returns to `return_address`, if it is made for
// `function` alone. Takes into account that compilers merge calls: a call is not found if its first
// argument may be another function, or if it is in a function that passes on its arguments.
HookSite find_call(const ModuleCode& module, std::uintptr_t return_address, std::uintptr_t function,
                   std::uintptr_t hook, const SiteTable& patched);

// The same for the hooks of prologues and epilogues, which take no arguments: `function` is the one
// that contains the call.
HookSite find_bare_call(const ModuleCode& module, std::uintptr_t return_address,
                        std::uintptr_t function, std::uintptr_t hook, const SiteTable& patched);

// The jump that the sweep is at, if it leads to the hook. Sets `function` to the first argument, 0
// if it is not known.
HookSite tail_jump_at(const BodySweep& sweep, std::uintptr_t hook, std::uintptr_t& function);

// A call of a hook, or a jump to the exit hook.
struct HookBranch {
    HookSite site;
    Hook hook;
    std::uintptr_t argument;    // the function that is passed to it; 0: unknown, or none
    CodeRange argument_is_set;  // after the instruction that sets it, up to the branch
    CodeRange source_is_set;  // if it is copied: after the instruction that sets the source, up to
                              // the copying
    explicit operator bool() const { return static_cast<bool>(site); }
};

// The branch that the sweep is at, if it leads to one of `hooks`.
HookBranch hook_branch_at(const BodySweep& sweep, const KnownHooks& hooks);
// The same for the instruction at `address`, without its argument, and only if its target does not
// depend on registers.
HookBranch plain_hook_branch(const ModuleCode& module, const Instruction& instruction,
                             std::uintptr_t address, const KnownHooks& hooks);

// Whether the sweep is at a conditional jump that leads to the hook, or may do so because the
// dynamic linker has not bound its target yet.
bool is_conditional_jump(const BodySweep& sweep, std::uintptr_t hook);

// Whether the instruction whose opcode is at `address`, its first byte being `original`, leads to
// the hook, or goes through a register, whose value is not known here. Used, for example, to check
// a site again before it is restored.
bool leads_to_hook(const ModuleCode& module, std::uintptr_t address, std::uint8_t original,
                   std::uintptr_t hook);

}  // namespace vftrace
