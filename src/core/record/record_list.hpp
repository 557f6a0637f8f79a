// A list in the record of a process that grows at its end (append(), tree/tree_memory.hpp).
//
// It is contiguous, because its items are small. Any thread may read it while one thread adds to
// it, and it can be read after the death of the process.
#pragma once

#include <cstdint>
#include <span>

namespace vftrace {

template <class Item>
struct RecordList {
    Item* items;
    std::uint32_t count;  // increased after the item has been written
    std::uint32_t room;   // items for which there is memory; used by threads that add items
};

// The items in the list at this moment. Takes no lock.
template <class Item>
std::span<const Item> items_of(const RecordList<Item>& list) {
    // In this order: the items may move to a place with more room, but never to one with less.
    const std::uint32_t count = __atomic_load_n(&list.count, __ATOMIC_ACQUIRE);
    return {__atomic_load_n(&list.items, __ATOMIC_ACQUIRE), count};
}

}  // namespace vftrace
