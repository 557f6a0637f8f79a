#include "allocations/early_blocks.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace vftrace {
namespace {

constexpr std::size_t ordinary_alignment = alignof(std::max_align_t);

alignas(ordinary_alignment) char memory[16 << 10];
std::size_t used;

// The size precedes a block.
char* size_of(const void* block) {
    return static_cast<char*>(const_cast<void*>(block)) - sizeof(std::size_t);
}

}  // namespace

void* early_memalign(std::size_t alignment, std::size_t size) {
    if (alignment < ordinary_alignment)
        alignment = ordinary_alignment;
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t end = start + sizeof memory;
    const std::uintptr_t lowest = start + used + sizeof(std::size_t);
    const std::uintptr_t block = (lowest + alignment - 1) / alignment * alignment;
    if (alignment > sizeof memory || block > end || size > end - block) {
        errno = ENOMEM;
        return nullptr;
    }
    used = block + size - start;
    std::memcpy(size_of(reinterpret_cast<void*>(block)), &size, sizeof size);
    return reinterpret_cast<void*>(block);
}

void* early_malloc(std::size_t size) { return early_memalign(ordinary_alignment, size); }

void* early_calloc(std::size_t count, std::size_t size) {
    std::size_t bytes;
    return early_malloc(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
}

void* early_realloc(void* block, std::size_t size) {
    void* const moved = early_malloc(size);
    if (block && moved)
        copy_early_block(moved, block, size);
    return moved;
}

int early_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    void* const given = early_memalign(alignment, size);
    if (!given)
        return ENOMEM;
    *block = given;
    return 0;
}

bool has_early_blocks() { return used > 0; }

bool is_early_block(const void* block) {
    return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory) <
           sizeof memory;
}

void copy_early_block(void* target, const void* block, std::size_t room) {
    std::size_t size;
    std::memcpy(&size, size_of(block), sizeof size);
    std::memcpy(target, block, size < room ? size : room);
}

}  // namespace vftrace
