// What the tree and the hooks need from the floor that keeps the cost of measuring down.
#pragma once

#include <cstdint>

namespace vftrace {

struct ThreadState;

struct OverheadCalls {
    // It is time to look at what measuring has cost so far (ThreadState::next_review).
    void (*review)(ThreadState& state, std::uint64_t now);
    // Whether `function` is not to be recorded: excluded by hand or taken out by a review. Cheap
    // enough for the making of a path and for exits without entry.
    bool (*is_unwanted)(std::uintptr_t function);
    // Takes the call of the entry hook out. Returns false if it stays: the call is counted then.
    bool (*remove_entry)(std::uintptr_t function, std::uintptr_t hook_site);
    // The same for an exit of an unwanted function that is not on top of the stack.
    void (*remove_exit)(std::uintptr_t function, std::uintptr_t hook_site, std::uintptr_t callsite);
};

// nullptr if nothing is ever taken out and no review is wanted.
extern const OverheadCalls* overhead_calls;

}  // namespace vftrace
