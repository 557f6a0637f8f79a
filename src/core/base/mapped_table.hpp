// A hash table in the library's own memory that can grow.
//
// Open addressing with linear probing, at most half full. It grows by replacing the table with a
// larger copy in one step: readers, and a child of fork, find one of the two complete. `table = {}`
// does not free memory.
//
// Writers must hold a lock, unless there is only one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/arena.hpp"

namespace vftrace {

enum class Readers : std::uint8_t {
    locked,    // they hold the writers' lock; a table that has become too small is unmapped
    lock_free  // any thread and signal handler; old tables stay, together no larger than the last
};

// Free slots are all zero. Entries have
//   Key, key(), is(key), hash(key): what they are found by;
//   mark(): a number or pointer in them that is not zero. It is written last and read first.
template <class Entry, Readers readers = Readers::locked>
class MappedTable {
  public:
    using Key = typename Entry::Key;

    bool empty() const { return !__atomic_load_n(&slots_, __ATOMIC_RELAXED); }  // nothing was added
    std::size_t count() const { return slots_ ? slots_->count : 0; }

    // nullptr if there is no entry. If readers do not lock, the entries that they find are
    // complete; code that changes entries later must take care of the rest.
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

    // The entry with the key of `wanted`, added as a copy of `wanted` if there is none; nullptr
    // without memory. Unless readers are lock-free, pointers to other entries are invalid
    // afterwards.
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

    // Later entries take the places of those that were removed: if readers do not lock, entries
    // must consist only of their mark.
    template <class Condition>
    void remove_if(Condition condition) {
        static_assert(std::is_same_v<Mark, std::uintptr_t>);  // `gone` is compared like others
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
    static constexpr std::uintptr_t gone = 1;  // in place of the mark of a removed entry

    struct Slots {
        std::size_t mask;   // number of slots, a power of two, minus one
        std::size_t taken;  // by entries or by removed ones
        std::size_t count;  // of entries
        Entry entries[];
    };
    static constexpr std::size_t fewest = std::bit_floor((4096 - sizeof(Slots)) / sizeof(Entry));

    // Lock-free readers may run at the same time as a writer. For the others the compiler may keep
    // values in registers, which matters because every message looks up its figures in a table.
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

    // Makes room for more entries; with the same number of slots if most are taken by removed
    // entries.
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

// The beginning of entries that are found by an address, which must be neither 0 nor 1.
struct ByAddress {
    std::uintptr_t address = 0;

    using Key = std::uintptr_t;
    Key key() const { return address; }
    std::uintptr_t& mark() { return address; }
    bool is(Key wanted) const { return __atomic_load_n(&address, __ATOMIC_RELAXED) == wanted; }
    static std::uint64_t hash(Key wanted) { return wanted * 0x9e3779b97f4a7c15u >> 20; }
};

}  // namespace vftrace
