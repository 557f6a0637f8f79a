// The locks of a program for which threads waited: Profile::lock_waits by lock.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct Lock {
    std::span<const LockWait> rows;  // what is known of it; never empty
    std::uint64_t waits = 0;
    std::int64_t ns = 0, longest_ns = 0;

    LockKind kind() const { return rows.front().kind; }
    // Paths with the longest times; no_index: they are not known.
    std::uint32_t main_waiter() const;
    std::uint32_t main_holder() const;
    // What is known of a waiter and a holder, 0 if nothing is.
    std::int64_t ns_of_waiter(std::uint32_t path) const;
    std::int64_t ns_of_holder(std::uint32_t path) const;
};

// The lock with the longest time first. Refers to the profile.
std::vector<Lock> locks_of(const Profile& profile);

// The function of the program in which a lock is used: in this path, but outside the C++ library,
// whose functions for locks have hooks too if they were not inlined. The path itself if there is
// none.
std::uint32_t path_outside_library(const Profile& profile, std::uint32_t path);

// "queue_lock"; of a lock without a name, the place that made it or waited for it first: "(in
// push)", where `function` is the shown name of a path's function.
template <class FunctionName>
std::string lock_name(const LockWait& row, FunctionName function) {
    if (!row.name.empty())
        return row.name;
    return row.origin == no_index ? "(unnamed)" : "(in " + std::string(function(row.origin)) + ")";
}

// "mutex"
std::string_view text_of(LockKind kind);

}  // namespace vftrace
