// Where the calling thread is among regions: keeps its slot of the host's page true.
#pragma once

#include <cstdint>

#include "regions/region_page.hpp"
#include "tree/region_calls.hpp"

namespace vftrace {

// Private to the thread. Most regions are entered again and again: what their nodes mean is
// remembered.
struct ThreadRegions {
    PublishedPlace* slot;  // nullptr: it was in no region so far
    std::uint32_t hints;   // hint_changes when it began to remember
    static constexpr unsigned remembered = 64;
    struct Known {
        const Node* node;
        std::uint64_t place;   // place_word()
        bool is_epoch_region;  // entering the node is an epoch
    } known[remembered];
};

struct RegionSettings {
    OwnPage page{};
    const char* epoch_region = nullptr;  // nullptr: the program says where epochs begin
};
extern RegionSettings region_settings;

// What the tree is to call.
extern const RegionCalls calls_of_regions;

// The thread begins and ends to record.
void thread_enters_regions(ThreadState& state);
void thread_leaves_regions(ThreadState& state);

// Hints of names have changed: what was remembered is forgotten.
void forget_remembered_regions();

// The calling thread begins an epoch, unless it is in a region whose hint is `ignore`.
void begin_epoch(const ThreadState& state);

}  // namespace vftrace
