// What a review of the budget knows of each function, or of each path, and keeps for the next one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"

namespace vftrace {

// By address; open addressing, linear probing. `Entry` is all zero at first and has a member `key`,
// std::uintptr_t, 0 in slots that are free. No lock, and no memory of the program's.
template <class Entry>
class ReviewTable {
  public:
    // nullptr without memory.
    Entry* find_or_add(std::uintptr_t key) {
        if (2 * (used_ + 1) > slots_ && !grow())
            return nullptr;
        Entry& entry = slot_of(key);
        if (!entry.key) {
            entry.key = key;
            used_++;
        }
        return &entry;
    }
    // nullptr if it is not there.
    Entry* find(std::uintptr_t key) {
        if (slots_ == 0)
            return nullptr;
        Entry& entry = slot_of(key);
        return entry.key ? &entry : nullptr;
    }
    std::uint64_t count() const { return used_; }
    // All slots, free ones among them.
    Entry* begin() { return entries_; }
    Entry* end() { return entries_ + slots_; }
    void clear() { *this = {}; }

  private:
    Entry& slot_of(std::uintptr_t key) {
        std::uint64_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & (slots_ - 1);
        while (entries_[slot].key && entries_[slot].key != key)
            slot = (slot + 1) & (slots_ - 1);
        return entries_[slot];
    }
    bool grow() {
        const std::uint64_t slots = slots_ ? slots_ * 2 : 1024;
        auto* larger = static_cast<Entry*>(map_memory(slots * sizeof(Entry)));
        if (!larger)
            return false;
        Entry* old = entries_;
        const std::uint64_t old_slots = slots_;
        entries_ = larger;
        slots_ = slots;
        for (std::uint64_t i = 0; i < old_slots; i++)
            if (old[i].key)
                slot_of(old[i].key) = old[i];
        if (old)
            unmap_memory(old, old_slots * sizeof(Entry));
        return true;
    }

    Entry* entries_ = nullptr;
    std::uint64_t slots_ = 0, used_ = 0;
};

}  // namespace vftrace
