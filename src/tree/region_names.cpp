// Names of user regions, each kept once: its address is the key of the region's nodes.
#include "tree/region_names.hpp"

#include <cstring>

#include "base/fnv.hpp"

namespace vftrace {
namespace {

struct Entry {
    std::uint64_t hash;
    Entry* next;
    char text[];
};

// Chains are only ever prepended to, so readers need no lock.
constexpr std::size_t bucket_count = 1024;
Entry* buckets[bucket_count];

Entry* find(Entry* chain, std::uint64_t hash, const char* name) {
    while (chain && (chain->hash != hash || std::strcmp(chain->text, name) != 0))
        chain = chain->next;
    return chain;
}

}  // namespace

std::uintptr_t region_key(const char* name, Arena& arena) {
    std::uint64_t hash = fnv1a(name);
    Entry** bucket = &buckets[hash % bucket_count];
    Entry* first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    Entry* fresh = nullptr;
    for (;;) {
        if (Entry* entry = find(first, hash, name))
            return reinterpret_cast<std::uintptr_t>(entry->text);
        if (!fresh) {
            std::size_t size = std::strlen(name) + 1;
            fresh = static_cast<Entry*>(arena.allocate(sizeof(Entry) + size));
            if (!fresh)
                return 0;
            fresh->hash = hash;
            std::memcpy(fresh->text, name, size);
        }
        fresh->next = first;
        if (__atomic_compare_exchange_n(bucket, &first, fresh, false, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
            return reinterpret_cast<std::uintptr_t>(fresh->text);
        // Another thread was faster, perhaps with the same name: `first` is its entry.
    }
}

void forget_region_names() { std::memset(buckets, 0, sizeof buckets); }

}  // namespace vftrace
