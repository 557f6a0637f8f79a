// The allocators to which calls are passed: the counting one, and the next one in the program's
// scope, which is that of the C library or another one that is preloaded or linked.
#pragma once

#include <cstddef>

namespace vftrace {

// Hidden, so that they are reached directly: the program does not use these.
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

// The next allocator, and the function that returns the usable bytes of its blocks: at least as
// many as were requested; 0 for nullptr. Set before any function of the counting allocator is
// called.
extern Allocator next_allocator;
extern std::size_t (*usable_size)(void* block);

extern const Allocator counting_allocator;

// Whether a sanitizer watches allocations.
bool is_sanitized();
// Whether code belongs to the next allocator, or to the library that watches allocations.
bool lies_in_allocator(const void* address);
bool lies_in_watcher(const void* address);

// The target of the program's calls: the counting allocator, or the next one if nothing can be
// counted, which is then called as if we were not present. The first call looks up the next
// allocator; this happens before the process has a second thread, because the C library needs
// memory to create one.
extern Allocator allocator;

#pragma GCC visibility pop

}  // namespace vftrace
