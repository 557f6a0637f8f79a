// A library with its own hooks, which remove their calls and restore them: it exercises only
// src/runtime/patch. The program controls it by the functions below.
#include <cstdint>
#include <cstdlib>

#include "guest/modules.hpp"
#include "hooks/kept_registers.hpp"
#include "hooks/prologue_hooks.hpp"
#include "patch/hook_calls.hpp"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

bool removing;
std::uint64_t entries, exits, tried_in_vain, other_at_work;

void count(std::uint64_t& counter) { __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED); }

void note(vftrace::HookCall result) {
    if (result == vftrace::HookCall::cannot_be)
        count(tried_in_vain);
    if (result == vftrace::HookCall::not_now)
        count(other_at_work);
}

}  // namespace

EXPORTED void __cyg_profile_func_enter(void* function, void*) {
    count(entries);
    if (__atomic_load_n(&removing, __ATOMIC_RELAXED))
        note(vftrace::remove_entry_call(
            reinterpret_cast<std::uintptr_t>(function),
            reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))));
}

EXPORTED void __cyg_profile_func_exit(void* function, void* callsite) {
    count(exits);
    if (__atomic_load_n(&removing, __ATOMIC_RELAXED))
        note(
            vftrace::remove_exit_call(reinterpret_cast<std::uintptr_t>(function),
                                      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                                      reinterpret_cast<std::uintptr_t>(callsite)));
}

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
extern "C" [[gnu::visibility("hidden")]] void note_prologue(std::uintptr_t site) {
    count(entries);
    if (__atomic_load_n(&removing, __ATOMIC_RELAXED))
        note(vftrace::remove_entry_call(vftrace::function_start(site), site));
}

extern "C" [[gnu::visibility("hidden")]] void note_epilogue(std::uintptr_t site) {
    count(exits);
    if (__atomic_load_n(&removing, __ATOMIC_RELAXED))
        note(vftrace::remove_exit_call(vftrace::function_start(site), site, 0));
}

// Hooks that call the function with their return address and change no register.
asm(R"(
    .macro hook name, function
    .globl \name
    .type \name, @function
\name:
    push %rax
    push %rdi
    mov 16(%rsp), %rdi
    lea 1f(%rip), %rax
    call vftrace_call_keeping_general_registers
    pop %rdi
    pop %rax
    ret
1:  lea \function(%rip), %rax
    jmp vftrace_call_keeping_vector_registers
    .size \name, .-\name
    .endm
    .text
    hook vftrace_function_entry, note_prologue
    hook __return__, note_epilogue
)");
#endif

EXPORTED void patch_remove(int on) { __atomic_store_n(&removing, on != 0, __ATOMIC_RELAXED); }
EXPORTED std::uint32_t patch_restore() { return vftrace::restore_all_hook_calls(); }
EXPORTED std::uint32_t patch_restore_function(void* function) {
    return vftrace::restore_hook_calls(reinterpret_cast<std::uintptr_t>(function));
}
EXPORTED std::uint32_t patch_removed() { return vftrace::removed_hook_calls(); }
EXPORTED int patch_possible(void* function) {
    return vftrace::hook_calls_can_be_removed(reinterpret_cast<std::uintptr_t>(function));
}
EXPORTED void patch_forget(void* start, void* end) {
    vftrace::forget_hook_calls(reinterpret_cast<std::uintptr_t>(start),
                               reinterpret_cast<std::uintptr_t>(end));
}
EXPORTED std::uint64_t patch_entries() {
    return __atomic_exchange_n(&entries, 0, __ATOMIC_RELAXED);
}
EXPORTED std::uint64_t patch_exits() { return __atomic_exchange_n(&exits, 0, __ATOMIC_RELAXED); }
EXPORTED std::uint64_t patch_in_vain() {
    return __atomic_exchange_n(&tried_in_vain, 0, __ATOMIC_RELAXED);
}
EXPORTED std::uint64_t patch_not_now() {
    return __atomic_exchange_n(&other_at_work, 0, __ATOMIC_RELAXED);
}
