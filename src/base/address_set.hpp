// A set of addresses that any thread, and any signal handler, may ask without a lock.
//
// Open addressing with linear probing, at most half full; the table is replaced as a whole by a
// larger one and never freed, for somebody may be reading it. One thread at a time may change it.
#pragma once

#include <cstdint>

#include "base/arena.hpp"

namespace vftrace {

class AddressSet {
  public:
    bool contains(std::uintptr_t address) const {
        const Table* known = __atomic_load_n(&table_, __ATOMIC_ACQUIRE);
        if (!known)
            return false;
        for (std::uint64_t slot = first_slot(*known, address);;
             slot = (slot + 1) & (known->slots - 1)) {
            const std::uintptr_t key = __atomic_load_n(&known->key[slot], __ATOMIC_RELAXED);
            if (key == address || key == 0)
                return key != 0;
        }
    }

    bool empty() const { return !__atomic_load_n(&table_, __ATOMIC_RELAXED); }  // nothing was added

    // Returns whether it was not there; false without memory.
    bool add(std::uintptr_t address) {
        if (!make_room())
            return false;
        std::uintptr_t& slot = slot_of(*table_, address);
        if (slot)
            return false;
        __atomic_store_n(&slot, address, __ATOMIC_RELEASE);
        table_->used++;
        return true;
    }

    // Takes those out that lie in a range.
    void remove(std::uintptr_t start, std::uintptr_t end) {
        for (std::uint64_t i = 0; table_ && i < table_->slots; i++)
            if (table_->key[i] >= start && table_->key[i] < end)
                __atomic_store_n(&table_->key[i], gone, __ATOMIC_RELAXED);
    }
    void clear() { remove(1, ~std::uintptr_t{0}); }

    template <class Visit>
    void visit(Visit visit) const {
        for (std::uint64_t i = 0; table_ && i < table_->slots; i++)
            if (table_->key[i] > gone)
                visit(table_->key[i]);
    }

  private:
    struct Table {
        std::uint64_t slots;  // a power of two
        std::uint64_t used;
        std::uintptr_t key[];
    };
    static constexpr std::uintptr_t gone = 1;  // where one was taken out

    static std::uint64_t first_slot(const Table& in, std::uintptr_t key) {
        return (key * 0x9e3779b97f4a7c15u >> 20) & (in.slots - 1);
    }
    // The slot of the key, or the empty one where it belongs.
    static std::uintptr_t& slot_of(Table& in, std::uintptr_t key) {
        std::uint64_t slot = first_slot(in, key);
        while (in.key[slot] && in.key[slot] != key)
            slot = (slot + 1) & (in.slots - 1);
        return in.key[slot];
    }
    // Makes sure that one more fits. Returns false without memory.
    bool make_room() {
        if (table_ && 2 * (table_->used + 1) <= table_->slots)
            return true;
        const std::uint64_t slots = table_ ? table_->slots * 2 : 512;
        auto* larger =
            static_cast<Table*>(map_memory(sizeof(Table) + slots * sizeof(std::uintptr_t)));
        if (!larger)
            return false;
        larger->slots = slots;
        visit([&](std::uintptr_t key) {
            slot_of(*larger, key) = key;
            larger->used++;
        });
        __atomic_store_n(&table_, larger, __ATOMIC_RELEASE);
        return true;
    }

    Table* table_ = nullptr;
};

}  // namespace vftrace
