// What libvftrace asks of libvftrace_allocations, to get a sample of all allocations, or each one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

// A block that is watched until it is freed. Only libvftrace knows what the words mean.
struct WatchedBlock {
    std::uint64_t words[7];
};

// The element (block >> shift) & mask is 0 if `block` is not watched. Other threads change it.
struct WatchedPlaces {
    const std::uint32_t* elements;
    std::uintptr_t mask;
    unsigned shift;
};

struct AllocationWatch {
    // An allocation is reported when `left`, the number of bytes that the thread may still
    // allocate, does not exceed its size; in a new thread that is 0. `block`: the new block.
    // `caller`: where the program continues. Returns the thread's next `left`. Keeps errno.
    std::uint64_t (*allocated)(std::uintptr_t block, std::size_t size, std::uint64_t left,
                               std::uintptr_t caller);
    // A block is about to be freed, perhaps one that is watched. Returns whether it was, and then
    // copies what is known about it. Keeps errno.
    bool (*take)(std::uintptr_t block, WatchedBlock& taken);
    // What was taken has been freed, by a thread with this much `left`; or realloc() has moved it;
    // or it still exists.
    void (*freed)(const WatchedBlock& taken, std::uint64_t left);
    void (*moved)(const WatchedBlock& taken);
    void (*put_back)(const WatchedBlock& taken);
    // Whether vftrace_allocated_bytes() has to remain right.
    bool are_counted;
    WatchedPlaces places;
};

// Whether allocations can be watched, and are from now on. To be called once.
using WatchAllocations = bool(const AllocationWatch* watch);

}  // namespace vftrace
