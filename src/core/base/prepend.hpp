// Lists to which any thread may add without a lock, and from which nothing is removed.
#pragma once

namespace vftrace {

// Makes `item` the first one. It is complete, apart from its link to the next one: readers may find
// it from now on.
template <class Item>
void prepend(Item*& first, Item* item, Item* Item::*next = &Item::next) {
    item->*next = __atomic_load_n(&first, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&first, &(item->*next), item, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
}

}  // namespace vftrace
