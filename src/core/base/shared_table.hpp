// A hash table of named objects, to which any thread may add without a lock.
//
// Entries are never removed: chains are only ever prepended to, so neither readers nor signal
// handlers need a lock. Entries have members `hash` and `next` for the table, and are allocated by
// the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vftrace {

template <class Entry, std::size_t bucket_count>
class SharedTable {
  public:
    // The entry with this hash for which matches(entry) is true; nullptr if there is none.
    template <class Matches>
    Entry* find(std::uint64_t hash, Matches matches) const {
        const Entry* const* bucket = &buckets_[hash % bucket_count];
        return search(const_cast<Entry*>(__atomic_load_n(bucket, __ATOMIC_ACQUIRE)), hash, matches);
    }

    // The same, but created by make() if there is none; nullptr if that returns nullptr. If two
    // threads are about to add the same entry, the one that one of them has made stays unused.
    template <class Matches, class Make>
    Entry* find_or_add(std::uint64_t hash, Matches matches, Make make) {
        Entry** bucket = &buckets_[hash % bucket_count];
        Entry* first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
        Entry* fresh = nullptr;
        for (;;) {
            if (Entry* known = search(first, hash, matches))
                return known;
            if (!fresh && !(fresh = make()))
                return nullptr;
            fresh->hash = hash;
            fresh->next = first;
            __atomic_store_n(&used_, true, __ATOMIC_RELAXED);
            if (__atomic_compare_exchange_n(bucket, &first, fresh, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE))
                return fresh;
            // Another thread was faster, perhaps with the same name; `first` is now its entry.
        }
    }

    template <class Visit>
    void visit(Visit visit) {
        if (!__atomic_load_n(&used_, __ATOMIC_RELAXED))
            return;
        for (Entry*& bucket : buckets_)
            for (Entry* at = __atomic_load_n(&bucket, __ATOMIC_ACQUIRE); at; at = at->next)
                visit(*at);
    }

    // No other thread may use the table.
    void clear() {
        if (used_)  // otherwise its pages have never been touched
            std::memset(buckets_, 0, sizeof buckets_);
        used_ = false;
    }

  private:
    template <class Matches>
    static Entry* search(Entry* chain, std::uint64_t hash, Matches matches) {
        while (chain && (chain->hash != hash || !matches(*chain)))
            chain = chain->next;
        return chain;
    }

    Entry* buckets_[bucket_count];
    bool used_;
};

}  // namespace vftrace
