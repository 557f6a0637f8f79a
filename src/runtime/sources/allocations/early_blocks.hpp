// Memory for requests that are made while the allocator is looked up, by dlsym() or wrappers of it.
// It is small, and is never released.
#pragma once

#include <cstddef>

namespace vftrace {

// Like the standard functions of these names. Blocks are filled with zeros.
void* early_malloc(std::size_t size);
void* early_calloc(std::size_t count, std::size_t size);
void* early_realloc(void* block, std::size_t size);
void* early_memalign(std::size_t alignment, std::size_t size);
int early_posix_memalign(void** block, std::size_t alignment, std::size_t size);

bool has_early_blocks();
bool is_early_block(const void* block);
// Copies an early block, or as much of it as fits into `room` bytes.
void copy_early_block(void* target, const void* block, std::size_t room);

}  // namespace vftrace
