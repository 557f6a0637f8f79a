#include "base/arena.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {

namespace {

// What is left after stop_mapping_memory(); taken by several threads, and in signal handlers.
struct LastMemory {
    char* start = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;
};
LastMemory last_memory;
bool mapping_has_stopped;

bool mapping_is_over() { return __atomic_load_n(&mapping_has_stopped, __ATOMIC_ACQUIRE); }

void* take_last_memory(std::size_t bytes) {
    constexpr std::size_t page = 4096;
    bytes = (bytes + page - 1) & ~(page - 1);
    std::size_t used = __atomic_load_n(&last_memory.used, __ATOMIC_RELAXED);
    do {
        if (bytes > last_memory.bytes - used)
            return nullptr;
    } while (!__atomic_compare_exchange_n(&last_memory.used, &used, used + bytes, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return last_memory.start + used;
}

}  // namespace

void stop_mapping_memory(std::size_t bytes) {
    if (mapping_is_over())
        return;
    last_memory.start = static_cast<char*>(map_memory(bytes));
    last_memory.bytes = last_memory.start ? bytes : 0;
    __atomic_store_n(&mapping_has_stopped, true, __ATOMIC_RELEASE);
}

void* map_memory(std::size_t bytes) {
    if (mapping_is_over())
        return take_last_memory(bytes);
    int saved_errno = errno;
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved_errno;
    return start == MAP_FAILED ? nullptr : start;
}

void* map_memory_wiped_on_fork(std::size_t bytes) {
    void* start = map_memory(bytes);
    if (start && !mapping_is_over()) {
        int saved_errno = errno;
        madvise(start, bytes, MADV_WIPEONFORK);
        errno = saved_errno;
    }
    return start;
}

void* map_memory_at([[maybe_unused]] void* address, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_THREAD__
    return nullptr;  // it ends a program that accesses other addresses than it expects
#else
    int saved_errno = errno;
    // Bypasses the sanitizers in the program, which would choose another address.
    const long result =
        syscall(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
    void* const start = result == -1 ? nullptr : reinterpret_cast<void*>(result);
    errno = saved_errno;
    if (start && start != address) {  // before Linux 4.17
        unmap_memory(start, bytes);
        return nullptr;
    }
    return start;
#endif
}

void empty_memory(void* start, std::size_t bytes) {
    if (mapping_is_over()) {
        std::memset(start, 0, bytes);
        return;
    }
    int saved_errno = errno;
    madvise(start, bytes, MADV_DONTNEED);
    errno = saved_errno;
}

void unmap_memory(void* start, std::size_t bytes) {
    if (mapping_is_over())
        return;
    int saved_errno = errno;
    munmap(start, bytes);
    errno = saved_errno;
}

void* Arena::allocate(std::size_t bytes) {
    constexpr std::size_t alignment = 64;
    constexpr std::size_t largest_chunk = 4 * 1024 * 1024;
    bytes = (bytes + alignment - 1) & ~(alignment - 1);
    if (static_cast<std::size_t>(end_ - next_) < bytes) {
        // Chunks grow with the arena: a short-lived thread needs little memory, a million paths few
        // calls.
        const std::size_t smallest_chunk = first_chunk_ ? first_chunk_ : usual_first_chunk;
        std::size_t chunk =
            std::clamp(static_cast<std::size_t>(mapped_), smallest_chunk, largest_chunk);
        chunk = std::max(chunk, bytes);
        char* start = static_cast<char*>((source_ ? source_ : map_memory)(chunk));
        if (!start)
            return nullptr;
        next_ = start;
        end_ = start + chunk;
        mapped_ += chunk;
    }
    char* result = next_;
    next_ += bytes;
    return result;
}

void* Arena::allocate_small(std::size_t bytes) {
    constexpr std::size_t alignment = 8, piece = 1024;
    bytes = (bytes + alignment - 1) & ~(alignment - 1);
    if (bytes > piece / 2)
        return allocate(bytes);
    if (static_cast<std::size_t>(small_end_ - small_next_) < bytes) {
        auto* start = static_cast<char*>(allocate(piece));
        if (!start)
            return nullptr;
        small_next_ = start;
        small_end_ = start + piece;
    }
    char* result = small_next_;
    small_next_ += bytes;
    return result;
}

}  // namespace vftrace
