// Names of user regions, each kept once: its address is the key of the region's nodes.
#include "tree/region_names.hpp"

#include <cstring>
#include <pthread.h>

#include "base/arena.hpp"

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
Arena arena;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// FNV-1a (Fowler, Noll, Vo), 64 bit.
std::uint64_t hash_text(const char* text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
    return hash;
}

Entry* find(Entry* chain, std::uint64_t hash, const char* name) {
    while (chain && (chain->hash != hash || std::strcmp(chain->text, name) != 0))
        chain = chain->next;
    return chain;
}

}  // namespace

std::uintptr_t region_key(const char* name) {
    std::uint64_t hash = hash_text(name);
    Entry** bucket = &buckets[hash % bucket_count];
    Entry* entry = find(__atomic_load_n(bucket, __ATOMIC_ACQUIRE), hash, name);
    if (!entry) {
        pthread_mutex_lock(&lock);
        entry = find(*bucket, hash, name);
        std::size_t size = std::strlen(name) + 1;
        if (!entry && (entry = static_cast<Entry*>(arena.allocate(sizeof(Entry) + size)))) {
            entry->hash = hash;
            entry->next = *bucket;
            std::memcpy(entry->text, name, size);
            __atomic_store_n(bucket, entry, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
    }
    return entry ? reinterpret_cast<std::uintptr_t>(entry->text) : 0;
}

}  // namespace vftrace
