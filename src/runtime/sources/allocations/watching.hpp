// Reports some of the program's allocations, and what becomes of their blocks, to libvftrace.
#pragma once

#include <cstdint>

#include "allocations/allocator.hpp"
#include "record/allocation_watch.hpp"

namespace vftrace {

#pragma GCC visibility push(hidden)

// Passes calls to `inner_allocator` and reports them. As long as nobody watches, that is the same
// as `allocator`, no block is watched, and reports are without effect.
extern const Allocator watching_allocator;
extern Allocator inner_allocator;
extern AllocationWatch watch;

// Bytes that the calling thread may allocate before the next report.
extern constinit thread_local std::uint64_t bytes_left [[gnu::tls_model("initial-exec")]];

// Whether this allocation of the calling thread is to be reported; if not, it is counted.
[[gnu::always_inline]] inline bool is_due(std::size_t size) {
    const std::uint64_t left = bytes_left;
    if (size >= left) [[unlikely]]
        return true;
    bytes_left = left - size;
    return false;
}

[[gnu::always_inline]] inline bool may_be_watched(const void* block) {
    const WatchedPlaces& places = watch.places;
    const auto place = reinterpret_cast<std::uintptr_t>(block) >> places.shift & places.mask;
    return __atomic_load_n(&places.elements[place], __ATOMIC_RELAXED) != 0;
}

// For an allocation that is due. `caller`: where the function that has allocated it returns to.
void report_allocated(void* block, std::size_t size, const void* caller);
// For a block that may be watched.
void report_freed(void* block);

// From now on the operators new and delete of an allocator that has its own are watched too; malloc
// and the others are already.
void watch_operators();

#pragma GCC visibility pop

}  // namespace vftrace
