// What is known about places in the code: calls of hooks that were removed, and those that cannot
// be, so that nothing is tried twice.
//
// To be used by one thread at a time. A child of fork inherits it in a consistent state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mapped_table.hpp"

namespace vftrace {

enum class SiteState : std::uint8_t {
    in_place,  // restored
    removed,   // or about to be
    cannot_be,
    tail_exits  // no site: the function at this address leaves by jumps to the hook
};

// Which hook a site leads to: those of -finstrument-functions, or those of prologues.
enum class Hook : std::uint8_t { enter, exit, prologue, epilogue };
constexpr bool is_entry(Hook hook) { return hook == Hook::enter || hook == Hook::prologue; }

struct KnownHook {
    Hook hook;
    const char* name;
    void (*function)();  // nullptr: not in this library; in reality it has arguments
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(function); }
};
inline constexpr std::size_t hook_count = 4;
using KnownHooks = KnownHook[hook_count];

struct KnownSite : ByAddress {  // of the byte that changes
    std::uintptr_t function;    // that it calls a hook for
    SiteState state = SiteState::in_place;
    std::uint8_t original = 0, replacement = 0;
    Hook hook = Hook::enter;
    std::uint16_t arrivals = 0;  // tail_exits: calls of the hook after they were removed

    // Whether it lies at these addresses, or the function does.
    bool is_in(std::uintptr_t start, std::uintptr_t end) const {
        return address - start < end - start || function - start < end - start;
    }
};
using SiteTable = MappedTable<KnownSite>;

}  // namespace vftrace
