// The current region of the calling thread: keeps its slot of the host's page up to date.
#pragma once

#include <cstdint>

#include "regions/region_page.hpp"
#include "tree/region_notes.hpp"

namespace vftrace {

struct RegionSettings {
    OwnPage page{};
    const char* epoch_region = nullptr;  // nullptr: the program marks where epochs begin
};
extern RegionSettings region_settings;

// The functions that the tree calls.
extern const RegionCalls calls_of_regions;

// To be called when a thread begins and when it stops recording.
void thread_enters_regions(ThreadState& state);
void thread_leaves_regions(ThreadState& state);

// The calling thread begins an epoch, unless it is in a region whose hint is `ignore`.
void begin_epoch(const ThreadState& state);

}  // namespace vftrace
