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
void unmap_memory(void* start, std::size_t bytes);

// One thread at a time may allocate from an arena.
class Arena {
  public:
    // `bytes` zeroed bytes aligned to 64, or nullptr if the system has none left.
    void* allocate(std::size_t bytes);
    // What the arena took from the system.
    std::uint64_t mapped_bytes() const { return mapped_; }

  private:
    char* next_ = nullptr;
    char* end_ = nullptr;
    std::uint64_t mapped_ = 0;
};

}  // namespace vftrace
