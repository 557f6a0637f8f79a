// What threads wait for in those functions of the C library in which they wait for other threads,
// or for processes that have a lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

// The numbers are in tree files.
enum class LockKind : std::uint8_t {
    none,  // no lock
    mutex,
    rwlock,
    condition,
    semaphore,
    barrier,
    once,
    thread,  // its end
    file
};

inline constexpr std::size_t lock_kinds = static_cast<std::size_t>(LockKind::file) + 1;

// Whether one thread has it while others wait.
constexpr bool has_holder(LockKind kind) {
    return kind == LockKind::mutex || kind == LockKind::rwlock;
}

}  // namespace vftrace
