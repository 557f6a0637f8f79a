// A hash table in the library's own memory that can grow.
//
// Open addressing with linear probing, at most half full. It grows by a larger copy that replaces
// the table at once: readers, and a child of fork, find one of the two complete. `table = {}` frees
// nothing.
//
// Writers hold a lock, or there is only one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/arena.hpp"

namespace vftrace {

enum class Readers : std::uint8_t {
    locked,    // hold the lock of writers; memory that has become too small is unmapped
    lock_free  // any thread and any signal handler; it stays: all of it is no larger than the last
};

// Entries are all zero where the table is free. They have
//   Key, key(), is(key), hash(key): by what they are found;
//   mark(): the number or pointer of theirs that is not zero. It is written last and read first.
template <class Entry, Readers readers = Readers::locked>
class MappedTable {
  public:
    using Key = typename Entry::Key;

    bool empty() const { return !__atomic_load_n(&slots_, __ATOMIC_RELAXED); }  // nothing was added
    std::size_t count() const { return slots_ ? slots_->count : 0; }

    // nullptr if it is not there. Where readers have no lock, what they find is complete, and those
    // that change it later see to the rest.
    Entry* find(const Key& key) const {
        Slots* const slots = load(slots_);
        if (!slots)
            return nullptr;
        const std::size_t mask = slots->mask;
        for (std::size_t at = Entry::hash(key);; at++) {
            Entry& entry = slots->entries[at & mask];
            if (!load(entry.mark()))
                return nullptr;
            if (entry.is(key))
                return &entry;
        }
    }

    // The entry with the key of `wanted`, whose copy it begins as; nullptr without memory. Unless
    // readers have no lock, pointers to other entries are void afterwards.
    Entry* find_or_add(const Entry& wanted) {
        if (Entry* known = find(wanted.key()))
            return known;
        if ((!slots_ || 2 * (slots_->taken + 1) > slots_->mask + 1) && !rebuild())
            return nullptr;
        return put(*slots_, wanted);
    }

    template <class Visit>
    void visit(Visit visit) const {
        for (std::size_t at = 0; slots_ && at <= slots_->mask; at++)
            if (is_used(slots_->entries[at]))
                visit(slots_->entries[at]);
    }

    // Later entries take the places of those that are gone: where readers have no lock, they must
    // be nothing but their mark.
    template <class Condition>
    void remove_if(Condition condition) {
        static_assert(std::is_same_v<Mark, std::uintptr_t>);  // `gone` is looked at like others
        static_assert(readers == Readers::locked || sizeof(Entry) == sizeof(Mark));
        visit([&](Entry& entry) {
            if (condition(entry)) {
                __atomic_store_n(&entry.mark(), gone, __ATOMIC_RELAXED);
                slots_->count--;
            }
        });
    }

  private:
    using Mark = std::remove_reference_t<decltype(std::declval<Entry&>().mark())>;
    static constexpr std::uintptr_t gone = 1;  // in place of the mark of a removed one

    struct Slots {
        std::size_t mask;   // their number, a power of two, less one
        std::size_t taken;  // by entries, or by what is left of them
        std::size_t count;  // of entries
        Entry entries[];
    };
    static constexpr std::size_t fewest = std::bit_floor((4096 - sizeof(Slots)) / sizeof(Entry));

    // Readers without a lock may meet a writer. For the others the compiler may keep what it has
    // read: every message looks for its figures in a table.
    template <class Value>
    static Value load(const Value& value) {
        if constexpr (readers == Readers::lock_free)
            return __atomic_load_n(&value, __ATOMIC_ACQUIRE);
        else
            return value;
    }

    static bool is_used(Entry& entry) {
        return reinterpret_cast<std::uintptr_t>(entry.mark()) > gone;
    }

    static Entry* put(Slots& slots, const Entry& added) {
        std::size_t at = Entry::hash(added.key());
        while (is_used(slots.entries[at & slots.mask]))
            at++;
        Entry& entry = slots.entries[at & slots.mask];
        Entry copy = added;
        const Mark before = entry.mark(), mark = copy.mark();
        slots.taken += !before;
        slots.count++;
        copy.mark() = before;
        entry = copy;
        __atomic_store_n(&entry.mark(), mark, __ATOMIC_RELEASE);
        return &entry;
    }

    // Makes room for more: in as many slots again where most are taken by what is gone.
    [[gnu::noinline]] bool rebuild() {
        Slots* const old = slots_;
        std::size_t slots = fewest;
        if (old)
            slots = (old->mask + 1) << (4 * old->count > old->mask);
        auto* made = static_cast<Slots*>(map_memory(bytes_of(slots)));
        if (!made)
            return false;
        made->mask = slots - 1;
        visit([&](const Entry& entry) { put(*made, entry); });
        __atomic_store_n(&slots_, made, __ATOMIC_RELEASE);
        if (old && readers == Readers::locked)
            unmap_memory(old, bytes_of(old->mask + 1));
        return true;
    }
    static std::size_t bytes_of(std::size_t slots) { return sizeof(Slots) + slots * sizeof(Entry); }

    Slots* slots_ = nullptr;
};

// What entries that are found by an address begin with. It is neither 0 nor 1.
struct ByAddress {
    std::uintptr_t address = 0;

    using Key = std::uintptr_t;
    Key key() const { return address; }
    std::uintptr_t& mark() { return address; }
    bool is(Key wanted) const { return __atomic_load_n(&address, __ATOMIC_RELAXED) == wanted; }
    static std::uint64_t hash(Key wanted) { return wanted * 0x9e3779b97f4a7c15u >> 20; }
};

}  // namespace vftrace
