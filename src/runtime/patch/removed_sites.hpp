// Removed calls of hooks: what is known about their sites, and how one is removed. Only for the
// thread that holds the turn.
#pragma once

#include <cstdint>

#include "patch/code_writer.hpp"
#include "patch/hook_calls.hpp"
#include "patch/hook_sites.hpp"
#include "patch/module_code.hpp"
#include "patch/site_table.hpp"

namespace vftrace {

extern SiteTable removed_sites;

// In the order of Hook.
extern const KnownHooks known_hooks;
inline std::uintptr_t address_of(Hook hook) {
    return known_hooks[static_cast<std::size_t>(hook)].address();
}

inline std::uint8_t code_byte(std::uintptr_t address) {
    return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(address), __ATOMIC_RELAXED);
}

// Records that a call is about to be removed, before the code is written, so that a child of fork
// knows about it either way. Returns nullptr if it cannot be removed, or if there is no memory.
KnownSite* note_removed(const HookSite& site, std::uintptr_t function, Hook hook);

// Removes one call.
HookCall remove_site(CodeWriter& writer, const ModuleCode& module, const HookSite& site,
                     std::uintptr_t function, Hook hook);

// Adds to the number of removed calls.
void count_removed(int calls);

}  // namespace vftrace
