// What is known about places in the code: calls of hooks that were taken out, and those that cannot
// be, so that nothing is tried twice.
//
// One thread at a time. A child of fork inherits it as it is at that moment, whole.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class SiteState : std::uint8_t {
    in_place,  // put back
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
    void (*function)();  // nullptr: this library does not have it; it has other arguments
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(function); }
};
inline constexpr std::size_t hook_count = 4;
using KnownHooks = KnownHook[hook_count];

struct KnownSite {
    std::uintptr_t address;   // of the byte that changes; 0: none
    std::uintptr_t function;  // whose hook it calls
    SiteState state;
    std::uint8_t original, replacement;
    Hook hook;
    std::uint16_t arrivals;  // tail_exits: calls of the hook after they were removed
};

class SiteTable {
  public:
    bool empty() const { return !slots_; }
    // nullptr if nothing is known.
    KnownSite* find(std::uintptr_t address) const;
    // What is known of `address`, or a new entry with nothing but the address and the function.
    // nullptr without memory. Pointers to other entries are void afterwards.
    KnownSite* add(std::uintptr_t address, std::uintptr_t function);
    // Forgets all that lies at these addresses, and functions there.
    void forget(std::uintptr_t start, std::uintptr_t end);

    // All places, used or not.
    KnownSite* begin() const { return slots_ ? slots_->sites : nullptr; }
    KnownSite* end() const { return slots_ ? slots_->sites + slots_->capacity : nullptr; }

  private:
    struct Slots {
        std::size_t capacity, used, mapped_bytes;  // capacity: a power of 2, at most half is used
        KnownSite sites[];
    };
    static Slots* make(std::size_t capacity);
    static KnownSite& place(Slots& slots, std::uintptr_t address);
    // Moves what is to be kept to a table of that size. False without memory.
    bool rebuild(std::size_t capacity, std::uintptr_t gone_start, std::uintptr_t gone_end);

    Slots* slots_ = nullptr;
};

}  // namespace vftrace
