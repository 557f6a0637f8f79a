// Which threads touch large blocks first, and which use them afterwards: notes it in the rows of
// record/placement_rows.hpp, from samples of page faults and of the threads' time (sampling/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "record/heap_figures.hpp"

namespace vftrace {

// Begins to watch blocks, if the machine has several memory nodes, or this table of them
// (memory_nodes.hpp) has. To be called once per process, before any thread is sampled.
void watch_first_touch(std::string_view memory_nodes);

// Where to count the samples of threads' time that are examined from now on; nullptr: nowhere.
void count_use_samples(std::uint64_t* samples);

// A block exists, or is about to be freed: called by the thread that allocates it, in its slow
// path, or frees it. Only large ones are watched. `place_in_stack`: the caller's frame.
void block_begins(std::uintptr_t begin, std::size_t bytes, const HeapSite& site);
void block_ends(std::uintptr_t begin, std::size_t most_bytes, std::uintptr_t place_in_stack);

}  // namespace vftrace
