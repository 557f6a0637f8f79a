// The allocators that calls go to: the one that counts, and the next one in the program's scope,
// which is that of the C library or another one that is preloaded or linked.
#pragma once

#include <cstddef>

namespace vftrace {

// Reached without a detour: these are not the program's.
#pragma GCC visibility push(hidden)

struct Allocator {
    void* (*malloc)(std::size_t size);
    void (*free)(void* block);
    void* (*calloc)(std::size_t count, std::size_t size);
    void* (*realloc)(void* block, std::size_t size);
    void* (*memalign)(std::size_t alignment, std::size_t size);
    int (*posix_memalign)(void** block, std::size_t alignment, std::size_t size);
    void* (*aligned_alloc)(std::size_t alignment, std::size_t size);
};

// The next one, and what its blocks have: bytes, at least as many as were requested; 0 of nullptr.
// Known as soon as a function of the one that counts is called.
extern Allocator next_allocator;
extern std::size_t (*usable_size)(void* block);

extern const Allocator counting_allocator;

// The target of the program's calls: the function that counts, or the next one if nothing can be
// counted, which is then called as if we were not there. The first call looks the next one up; that
// happens before the process has a second thread, for which the C library needs memory.
extern Allocator allocator;

#pragma GCC visibility pop

}  // namespace vftrace
