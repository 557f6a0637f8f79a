#include "heap/live_blocks.hpp"

#include <sched.h>

#include "base/arena.hpp"
#include "base/relaxed.hpp"

namespace vftrace {
namespace {

struct Entry {
    LiveBlock block;
    std::uint32_t next;  // in its chain, or among the unused ones; 0: none
};

// Entries have numbers from 1, so that a place is half as large as a pointer.
constexpr std::uint32_t chunk_entries = 512;
constexpr std::uint32_t most_chunks = 1 << 16;  // 33 million blocks
constexpr std::uint32_t locked = std::uint32_t{1} << 31;

// In memory that a child of fork finds wiped.
struct Table {
    std::uint32_t pool_lock;
    std::uint32_t unused;   // the first one
    std::uint32_t entries;  // that have memory
    Entry* chunks[most_chunks];
    std::uint32_t places[];  // number of the first entry of the chain, and whether that is locked
};

Table* table;
std::uintptr_t mask;
unsigned shift;

// A thread that holds a lock may have lost its processor, but is never interrupted by code that
// wants it. Returns false if that takes too long.
bool acquire(std::uint32_t& word) {
    constexpr int most_attempts = 20'000, attempts_before_yield = 100;
    for (int attempt = 0; attempt < most_attempts; attempt++) {
        std::uint32_t value = relaxed(word);
        if (!(value & locked) && __atomic_compare_exchange_n(&word, &value, value | locked, false,
                                                             __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        if (attempt >= attempts_before_yield)
            sched_yield();
    }
    return false;
}
void release(std::uint32_t& word, std::uint32_t value) {
    __atomic_store_n(&word, value & ~locked, __ATOMIC_RELEASE);
}

Entry& entry_of(std::uint32_t number) {
    const std::uint32_t index = number - 1;
    return table->chunks[index / chunk_entries][index % chunk_entries];
}

// The chunk becomes unused entries. Under the pool's lock.
void add_chunk() {
    const std::uint32_t chunk = table->entries / chunk_entries;
    if (chunk == most_chunks)
        return;
    auto* const entries = static_cast<Entry*>(map_memory(chunk_entries * sizeof(Entry)));
    if (!entries)
        return;
    table->chunks[chunk] = entries;
    const std::uint32_t first = table->entries + 1;
    for (std::uint32_t i = 0; i + 1 < chunk_entries; i++)
        entries[i].next = first + i + 1;
    table->entries += chunk_entries;
    table->unused = first;
}

// The number of an entry, 0 without memory.
std::uint32_t take_entry() {
    if (!acquire(table->pool_lock))
        return 0;
    if (table->unused == 0)
        add_chunk();
    const std::uint32_t number = table->unused;
    if (number != 0)
        table->unused = entry_of(number).next;
    release(table->pool_lock, 0);
    return number;
}

void give_back(std::uint32_t number) {
    if (!acquire(table->pool_lock))
        return;  // it stays unused
    entry_of(number).next = table->unused;
    table->unused = number;
    release(table->pool_lock, 0);
}

std::uint32_t& place_of(std::uintptr_t address) { return table->places[address >> shift & mask]; }

// What points to the entry of this address in a locked chain, or to the chain's end.
std::uint32_t* link_to(std::uint32_t& first, std::uintptr_t address) {
    std::uint32_t* link = &first;
    while (*link != 0 && entry_of(*link).block.address != address)
        link = &entry_of(*link).next;
    return link;
}

}  // namespace

bool prepare_live_blocks(bool all) {
    // A sampled block has some hundred pages without another one around it.
    constexpr unsigned page_shift = 12, line_shift = 6;
    constexpr std::size_t places_for_few = 1 << 20, places_for_all = 1 << 24;
    const std::size_t places = all ? places_for_all : places_for_few;
    shift = all ? line_shift : page_shift;
    mask = places - 1;
    if (!table)
        table = static_cast<Table*>(
            map_memory_wiped_on_fork(sizeof(Table) + places * sizeof(std::uint32_t)));
    return table;
}

WatchedPlaces places_of_live_blocks() { return {table->places, mask, shift}; }

bool add_live_block(const LiveBlock& block, LiveBlock& replaced, bool& is_added) {
    const std::uint32_t number = take_entry();
    std::uint32_t& place = place_of(block.address);
    is_added = false;
    if (number == 0)
        return false;
    if (!acquire(place)) {
        give_back(number);
        return false;
    }
    std::uint32_t first = relaxed(place) & ~locked;
    std::uint32_t* const link = link_to(first, block.address);
    const std::uint32_t known = *link;
    if (known != 0) {
        replaced = entry_of(known).block;
        *link = entry_of(known).next;
    }
    entry_of(number) = {block, first};
    is_added = true;
    release(place, number);
    if (known != 0)
        give_back(known);
    return known != 0;
}

bool take_live_block(std::uintptr_t address, LiveBlock& taken) {
    std::uint32_t& place = place_of(address);
    if (relaxed(place) == 0 || !acquire(place))
        return false;
    std::uint32_t first = relaxed(place) & ~locked;
    std::uint32_t* const link = link_to(first, address);
    const std::uint32_t known = *link;
    if (known != 0) {
        taken = entry_of(known).block;
        *link = entry_of(known).next;
    }
    release(place, first);
    if (known != 0)
        give_back(known);
    return known != 0;
}

}  // namespace vftrace
