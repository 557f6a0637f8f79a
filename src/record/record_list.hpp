// A list in the record of a process that grows at its end (append(), tree/tree_memory.hpp).
//
// It is contiguous, because its items are small. It may be read on any thread while one thread adds
// to it, and after the death of the process.
#pragma once

#include <cstdint>
#include <span>

namespace vftrace {

template <class Item>
struct RecordList {
    Item* items;
    std::uint32_t count;  // grows after the item is there
    std::uint32_t room;   // items that there is memory for; for threads that add
};

// The items that there are at this moment. Takes no lock.
template <class Item>
std::span<const Item> items_of(const RecordList<Item>& list) {
    // In this order: the items may move to where there is more room, not to where there is less.
    const std::uint32_t count = __atomic_load_n(&list.count, __ATOMIC_ACQUIRE);
    return {__atomic_load_n(&list.items, __ATOMIC_ACQUIRE), count};
}

}  // namespace vftrace
