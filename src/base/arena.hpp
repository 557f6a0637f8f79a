// Memory for things that live until the end of the run, straight from mmap.
//
// Never from malloc: hooks run inside the program's own allocator, if that is instrumented, and in
// signal handlers. Nothing is freed before the process ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

// Anonymous memory, all zero, or nullptr. Pages are taken from the system when first touched.
void* map_memory(std::size_t bytes);
// The same, of which a child of fork() sees zeros where the kernel can do that (Linux 4.14).
void* map_memory_wiped_on_fork(std::size_t bytes);
void unmap_memory(void* start, std::size_t bytes);
// The memory is all zero again, and takes no place until it is written to.
void empty_memory(void* start, std::size_t bytes);

// Where an arena takes its pieces from: zeroed memory of whole pages, or nullptr.
using MemorySource = void* (*)(std::size_t bytes);

// One thread at a time may allocate from an arena.
class Arena {
  public:
    // One that is all zero takes from map_memory().
    constexpr Arena() = default;
    explicit constexpr Arena(MemorySource source) : source_(source) {}

    // `bytes` zeroed bytes aligned to 64, or nullptr if the system has none left.
    void* allocate(std::size_t bytes);
    // The same aligned to 8, side by side with others of this kind.
    void* allocate_small(std::size_t bytes);
    // The memory that the arena took from its source.
    std::uint64_t mapped_bytes() const { return mapped_; }
    MemorySource source() const { return source_; }

  private:
    char* next_ = nullptr;
    char* end_ = nullptr;
    char* small_next_ = nullptr;
    char* small_end_ = nullptr;
    std::uint64_t mapped_ = 0;
    MemorySource source_ = nullptr;
};

}  // namespace vftrace
