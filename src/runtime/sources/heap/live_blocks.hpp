// The watched blocks that have not been freed yet, by their addresses.
//
// A hash table of chains in which neighbouring addresses have neighbouring places, so that it
// occupies little memory where few blocks are watched, and the places that a thread looks at when
// it frees a block are likely to be in the cache. Any thread may call these functions, and signal
// handlers as far as their thread is not in one of them. A child of fork finds the table empty.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/allocation_watch.hpp"
#include "record/heap_figures.hpp"

namespace vftrace {

struct LiveBlock {
    std::uintptr_t address;
    std::uint64_t bytes;  // that it represents (record/heap_sampling.hpp)
    std::uint64_t bytes_variance;
    double calls;
    HeapFigures* figures;  // of its site
    const void* thread;    // that has allocated it: its ThreadRecord
    std::uint64_t moment;  // of that thread: differs after each of its later allocations
};
static_assert(sizeof(LiveBlock) <= sizeof(WatchedBlock));

// Takes address space for the table. `all`: every block will be in it; otherwise few of them.
// Returns false without memory. To be called once per process.
bool prepare_live_blocks(bool all);

// How to see that a block is not in the table.
WatchedPlaces places_of_live_blocks();

// Adds a block. If there is one of that address already, which was freed unnoticed, it is replaced:
// returns true and copies that one to `replaced`. `is_added`: false without memory.
bool add_live_block(const LiveBlock& block, LiveBlock& replaced, bool& is_added);

// Removes the block of this address, if there is one, and copies it to `taken`.
bool take_live_block(std::uintptr_t address, LiveBlock& taken);

}  // namespace vftrace
