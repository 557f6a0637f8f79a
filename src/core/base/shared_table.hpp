// A hash table of named objects, to which any thread may add without a lock.
//
// Entries are never removed: chains are only ever prepended to, so neither readers nor signal
// handlers need a lock. Entries have members `hash` and `next` for the table, and are allocated by
// the caller. The table takes memory, and addresses, when the first entry is added.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"

namespace vftrace {

template <class Entry, std::size_t bucket_count>
class SharedTable {
  public:
    // The entry with this hash for which matches(entry) is true; nullptr if there is none.
    template <class Matches>
    Entry* find(std::uint64_t hash, Matches matches) const {
        Entry** const buckets = __atomic_load_n(&buckets_, __ATOMIC_ACQUIRE);
        if (!buckets)
            return nullptr;
        return search(__atomic_load_n(&buckets[hash % bucket_count], __ATOMIC_ACQUIRE), hash,
                      matches);
    }

    // The same, but created by make() if there is none; nullptr without memory. If two
    // threads are about to add the same entry, the one that one of them has made stays unused.
    template <class Matches, class Make>
    Entry* find_or_add(std::uint64_t hash, Matches matches, Make make) {
        Entry** const buckets = made_buckets();
        if (!buckets)
            return nullptr;
        Entry** bucket = &buckets[hash % bucket_count];
        Entry* first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
        Entry* fresh = nullptr;
        for (;;) {
            if (Entry* known = search(first, hash, matches))
                return known;
            if (!fresh && !(fresh = make()))
                return nullptr;
            fresh->hash = hash;
            fresh->next = first;
            if (__atomic_compare_exchange_n(bucket, &first, fresh, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE))
                return fresh;
            // Another thread was faster, perhaps with the same name; `first` is now its entry.
        }
    }

    template <class Visit>
    void visit(Visit visit) {
        Entry** const buckets = __atomic_load_n(&buckets_, __ATOMIC_ACQUIRE);
        for (std::size_t i = 0; buckets && i < bucket_count; i++)
            for (Entry* at = __atomic_load_n(&buckets[i], __ATOMIC_ACQUIRE); at; at = at->next)
                visit(*at);
    }

    // No other thread may use the table.
    void clear() {
        if (buckets_)
            unmap_memory(buckets_, bytes);
        buckets_ = nullptr;
    }

  private:
    static constexpr std::size_t bytes = bucket_count * sizeof(Entry*);

    Entry** made_buckets() {
        Entry** known = __atomic_load_n(&buckets_, __ATOMIC_ACQUIRE);
        if (known)
            return known;
        auto** made = static_cast<Entry**>(map_memory(bytes));
        if (made && !__atomic_compare_exchange_n(&buckets_, &known, made, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE)) {
            unmap_memory(made, bytes);  // another thread was faster
            return known;
        }
        return made;
    }

    template <class Matches>
    static Entry* search(Entry* chain, std::uint64_t hash, Matches matches) {
        while (chain && (chain->hash != hash || !matches(*chain)))
            chain = chain->next;
        return chain;
    }

    Entry** buckets_;  // nullptr: nothing was added
};

}  // namespace vftrace
