// The current region of a thread, as others read it: the word of its slot
// (regions/region_page.hpp), and what the thread caches to change that word in a few instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/relaxed.hpp"
#include "record/node.hpp"
#include "record/region_hints.hpp"
#include "record/region_id.hpp"

namespace vftrace {

// A word that describes where a thread is: region, hint, processor. One instruction changes it.
inline constexpr unsigned place_region_shift = 24, place_hint_shift = 16;
static_assert(place_region_shift + region_id_bits == 64);
constexpr std::uint64_t place_word(std::uint64_t region, RegionHint hint) {
    return region << place_region_shift | static_cast<std::uint64_t>(hint) << place_hint_shift;
}
inline constexpr std::uint64_t place_processor_mask = 0xffff;
inline constexpr std::uint64_t place_unmarked = place_word(0, RegionHint::unset);

struct alignas(64) PublishedPlace {
    std::uint64_t place;    // place_word() | processor
    std::uint32_t process;  // index in the page + 1; 0: the slot is free
    std::uint32_t thread;   // ThreadRecord::number
    std::uint32_t master;   // number + 1 of the thread whose regions these are; 0: this one
    std::int32_t tid;
};

// Private to the thread. Most regions are entered again and again, so the places of their nodes are
// remembered.
struct ThreadRegions {
    PublishedPlace* slot;           // nullptr: it has not been in a region so far
    const std::int32_t* processor;  // on which it runs; updated by the kernel, or only sometimes
    std::int32_t own_processor;     // for the latter case
    std::uint32_t hints;  // region_hint_changes when the remembered places were determined
    bool finds_no_slot;   // all are taken
    static constexpr std::size_t remembered = 64;
    struct Known {
        const Node* node;  // nullptr: nothing, or something that needs more than its place
        std::uint64_t place;
    } known[remembered];

    Known& known_of(const Node& node) {
        return known[reinterpret_cast<std::uintptr_t>(&node) / sizeof(Node) % remembered];
    }
    void publish(std::uint64_t place) const {
        const auto own = static_cast<std::uint32_t>(relaxed(*processor));
        set_shared(slot->place, place | (own & place_processor_mask));
    }
};

// How often hints of regions have changed.
extern std::uint32_t region_hint_changes;

// The thread is in this node now. Returns false if the node's place is not remembered. If it is
// remembered, the thread has a slot.
inline bool publish_known(ThreadRegions& regions, const Node& node) {
    const ThreadRegions::Known& known = regions.known_of(node);
    if (known.node != &node || regions.hints != plain_read(region_hint_changes)) [[unlikely]]
        return false;
    regions.publish(known.place);
    return true;
}

}  // namespace vftrace
