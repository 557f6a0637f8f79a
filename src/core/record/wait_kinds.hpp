// What threads wait for when they leave their processor by themselves, and the metrics about it:
// the time of each kind, and the number of waits, are metrics with the kind as their subject
// (SideColumn::index).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace vftrace {

// From 1, because index 0 stands for a metric without subjects. The numbers are in tree files.
enum class WaitKind : std::uint8_t {
    not_seen = 1,  // it was over before it was looked at
    lock,  // a futex: a mutex, condition variable, barrier, semaphore, or the end of a thread
    sleep,
    poll,
    file,
    pipe,
    socket,
    terminal,
    memory,   // a page fault that the kernel could not serve at once
    process,  // the end of another process
    other,
    mpi,     // whatever the MPI library waits for in its functions
    openmp,  // the same for OpenMP
    gpu
};

struct WaitKindRow {
    std::string_view word;  // in the names of metrics
    std::string_view text;  // in tables
};

inline constexpr WaitKindRow wait_kind_rows[] = {{"not_seen", "short, not looked at"},
                                                 {"lock", "lock or other thread"},
                                                 {"sleep", "sleep"},
                                                 {"poll", "poll or select"},
                                                 {"file", "file"},
                                                 {"pipe", "pipe"},
                                                 {"socket", "socket"},
                                                 {"terminal", "terminal"},
                                                 {"memory", "page fault"},
                                                 {"process", "other process"},
                                                 {"other", "other system call"},
                                                 {"mpi", "MPI"},
                                                 {"openmp", "OpenMP"},
                                                 {"gpu", "GPU"}};
inline constexpr std::size_t wait_kinds = std::size(wait_kind_rows);
static_assert(wait_kinds == static_cast<std::size_t>(WaitKind::gpu));

constexpr const WaitKindRow& row_of(WaitKind kind) {
    return wait_kind_rows[static_cast<std::size_t>(kind) - 1];
}

}  // namespace vftrace
