// The memory of the GpuRecord and of its lists: it outlives the process, as trees do.
#pragma once

#include <cstddef>

#include "record/gpu_record.hpp"

namespace vftrace {

// The record of this process, created if there is none; nullptr without memory, or before
// process_record exists.
GpuRecord* gpu_record();

// Zeroed tree memory, or nullptr. Takes a lock.
void* gpu_memory(std::size_t bytes);

// A list of the record that grows at its end. Appending needs the list's lock.
template <class Item>
class GrowingList {
  public:
    // A zeroed item that is not in the list yet; nullptr without memory.
    static Item* make() { return static_cast<Item*>(gpu_memory(sizeof(Item))); }
    // `first`: the list's field in the record.
    void append(Item*& first, Item* item) {
        __atomic_store_n(newest_ ? &newest_->next_created : &first, item, __ATOMIC_RELEASE);
        newest_ = item;
    }

  private:
    Item* newest_ = nullptr;
};

// In a child of fork: forgets what belongs to the parent.
void forget_gpu_memory();

}  // namespace vftrace
