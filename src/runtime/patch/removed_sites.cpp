#include "patch/removed_sites.hpp"

#include "hooks/prologue_hooks.hpp"

// Declared separately with one type, so that the table exists before any constructor runs.
extern "C" {
void hook_enter() asm("__cyg_profile_func_enter");
void hook_exit() asm("__cyg_profile_func_exit");
#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
void hook_prologue() asm("vftrace_function_entry");
void hook_epilogue() asm("__return__");
#endif
}

namespace vftrace {

SiteTable removed_sites;

namespace {

std::uint32_t removed_count;

#ifndef VFTRACE_HAS_PROLOGUE_HOOKS
constexpr void (*hook_prologue)() = nullptr;
constexpr void (*hook_epilogue)() = nullptr;
#endif

}  // namespace

constinit const KnownHooks known_hooks = {{Hook::enter, "__cyg_profile_func_enter", hook_enter},
                                          {Hook::exit, "__cyg_profile_func_exit", hook_exit},
                                          {Hook::prologue, "vftrace_function_entry", hook_prologue},
                                          {Hook::epilogue, "__return__", hook_epilogue}};

KnownSite* note_removed(const HookSite& site, std::uintptr_t function, Hook hook) {
    KnownSite* known = removed_sites.find_or_add({{site.address}, function});
    if (!known || known->state == SiteState::cannot_be)
        return nullptr;
    *known = {site.address, function, SiteState::removed, site.original, site.replacement, hook, 0};
    return known;
}

HookCall remove_site(CodeWriter& writer, const ModuleCode& module, const HookSite& site,
                     std::uintptr_t function, Hook hook) {
    const KnownSite* before = removed_sites.find(site.address);
    const bool was_counted = before && before->state == SiteState::removed;
    KnownSite* known = note_removed(site, function, hook);
    if (!known)
        return HookCall::cannot_be;
    if (code_byte(site.address) == site.replacement
            ? was_counted
            : writer.write(module, site.address, site.original, site.replacement)) {
        if (!was_counted)
            count_removed(1);
        return HookCall::removed;
    }
    known->state = SiteState::cannot_be;
    if (was_counted)
        count_removed(-1);
    return HookCall::cannot_be;
}

void count_removed(int calls) {
    __atomic_fetch_add(&removed_count, static_cast<std::uint32_t>(calls), __ATOMIC_RELAXED);
}

std::uint32_t removed_hook_calls() { return __atomic_load_n(&removed_count, __ATOMIC_RELAXED); }

}  // namespace vftrace
