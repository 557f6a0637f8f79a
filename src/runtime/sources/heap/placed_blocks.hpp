// The address ranges of large blocks that exist, and on which memory node each part of them was
// touched first.
//
// A fixed number of places that any thread and signal handler may search. A child of fork finds
// none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/heap_figures.hpp"

namespace vftrace {

struct ThreadState;

inline constexpr std::size_t smallest_placed_block = std::size_t{1} << 20;

// Takes memory for the places. Returns false without. To be called once per process.
bool prepare_placed_blocks();

// `monotonic_ns`: when it was allocated, by this thread. Without a free place, it is not added.
void add_placed_block(std::uintptr_t begin, std::size_t bytes, const HeapSite& site,
                      std::uint64_t monotonic_ns, const ThreadState* thread);
void remove_placed_block(std::uintptr_t begin);

// A part of a block.
struct BlockPart {
    const HeapSite* site;       // where it was allocated; nullptr: there is no such block
    std::size_t bytes;          // of the part
    std::uint16_t* touched_on;  // the memory node + 1; 0: not known
    // Of the block:
    std::uintptr_t begin;
    std::uint64_t monotonic_ns;
    const ThreadState* thread;
};
BlockPart part_of_block(std::uintptr_t address);

}  // namespace vftrace
