// Memory for objects that live until the end of the run, directly from mmap.
//
// Never from malloc, because hooks run inside the program's own allocator, if that is instrumented,
// and in signal handlers. Nothing is freed before the process ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

// Returns anonymous memory, all zero, or nullptr. Pages are taken from the system when first
// touched.
void* map_memory(std::size_t bytes);
// The same, but a child of fork() sees zeros there if the kernel supports that (Linux 4.14).
void* map_memory_wiped_on_fork(std::size_t bytes);
// The same at this address, of whole pages; nullptr if something is there already.
void* map_memory_at(void* address, std::size_t bytes);
void unmap_memory(void* start, std::size_t bytes);
// Sets the memory to zero again; it does not occupy pages until it is written to.
void empty_memory(void* start, std::size_t bytes);

// From now on these functions make no system call: they hand out the `bytes` that are taken now,
// and give nothing back.
void stop_mapping_memory(std::size_t bytes);

// The source from which an arena takes its pieces: zeroed memory of whole pages, or nullptr.
using MemorySource = void* (*)(std::size_t bytes);

// Only one thread at a time may allocate from an arena.
class Arena {
  public:
    // An arena that is all zero takes memory from map_memory().
    constexpr Arena() = default;
    explicit constexpr Arena(MemorySource source, std::uint32_t first_chunk = usual_first_chunk)
        : source_(source), first_chunk_(first_chunk) {}

    // Returns `bytes` zeroed bytes, aligned to 64, or nullptr if the system does not have any left.
    void* allocate(std::size_t bytes);
    // The same aligned to 8, next to other small allocations.
    void* allocate_small(std::size_t bytes);
    // The amount of memory that the arena has taken from its source.
    std::uint64_t mapped_bytes() const { return mapped_; }
    MemorySource source() const { return source_; }

  private:
    static constexpr std::uint32_t usual_first_chunk = 16 * 1024;

    char* next_ = nullptr;
    char* end_ = nullptr;
    char* small_next_ = nullptr;
    char* small_end_ = nullptr;
    std::uint64_t mapped_ = 0;
    MemorySource source_ = nullptr;
    std::uint32_t first_chunk_ = usual_first_chunk;
};

}  // namespace vftrace
