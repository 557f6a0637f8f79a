// malloc and related functions, as programs find them when this library is preloaded.
//
// Each ends with a jump, so that the allocator sees the program as its caller.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <unistd.h>

#include "allocations/allocator.hpp"

using vftrace::allocator;

namespace {

void* no_memory() {
    errno = ENOMEM;
    return nullptr;
}

}  // namespace

#define VFTRACE_EXPORT extern "C" [[gnu::visibility("default")]]

VFTRACE_EXPORT void* malloc(std::size_t size) noexcept { return allocator.malloc(size); }

VFTRACE_EXPORT void free(void* block) noexcept { allocator.free(block); }

VFTRACE_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
    return allocator.calloc(count, size);
}

VFTRACE_EXPORT void* realloc(void* block, std::size_t size) noexcept {
    return allocator.realloc(block, size);
}

VFTRACE_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return allocator.memalign(alignment, size);
}

VFTRACE_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
    return allocator.posix_memalign(block, alignment, size);
}

VFTRACE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return allocator.aligned_alloc(alignment, size);
}

// The remaining functions call the ones above, because few allocators have all of them, and those
// of the C library could not handle the blocks of another allocator.

VFTRACE_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
    std::size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return no_memory();
    return allocator.realloc(block, bytes);
}

VFTRACE_EXPORT void* valloc(std::size_t size) noexcept {
    return allocator.memalign(static_cast<std::size_t>(getpagesize()), size);
}

VFTRACE_EXPORT void* pvalloc(std::size_t size) noexcept {
    const auto page = static_cast<std::size_t>(getpagesize());
    if (size > SIZE_MAX - page)
        return no_memory();
    return allocator.memalign(page, (size + page - 1) / page * page);
}

// For programs that were linked with a C library older than 2.26.
VFTRACE_EXPORT void cfree(void* block) noexcept { allocator.free(block); }

// Of C23. The size is for allocators that check it; few have these functions.
VFTRACE_EXPORT void free_sized(void* block, std::size_t) noexcept { allocator.free(block); }

VFTRACE_EXPORT void free_aligned_sized(void* block, std::size_t, std::size_t) noexcept {
    allocator.free(block);
}
