// What the tree and the hooks need from the floor that limits the cost of measuring.
#pragma once

#include <cstdint>

#include "guest/address_set.hpp"

namespace vftrace {

struct ThreadState;

struct OverheadCalls {
    // It is time to review the cost of measuring so far.
    void (*review)(ThreadState& state, std::uint64_t now);
    // Functions that are not to be recorded any more.
    const AddressSet* unwanted;
    // Whether a function whose path is to be created is unwanted, or excluded by the filters.
    bool (*is_refused)(std::uintptr_t function);
    // Whether the hooks of a function were removed because it cost too much, not by a filter.
    bool (*is_removed)(std::uintptr_t function);
    // Removes the call of the entry hook from the code of an unwanted function. Returns false if
    // the call stays: then calls are counted. Keeps errno.
    bool (*remove_entry)(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site);
    // The same for the exit of an unwanted function that is not on top of the stack.
    void (*remove_exit)(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                        std::uintptr_t callsite);
    // A library at these addresses has been unloaded.
    void (*forget)(std::uintptr_t start, std::uintptr_t end);
};

// nullptr if hooks are never removed.
extern const OverheadCalls* overhead_calls;

// Ticks; no review is made before this time.
extern std::uint64_t next_review;

}  // namespace vftrace
