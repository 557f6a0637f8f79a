// Asynchronous tasks of a profile by type: time of all other paths is that of the task that they
// are in.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// All tasks of one type, on whatever paths.
struct TaskType {
    std::string_view name;              // "session (server.cpp:12)"; a text of the profile
    std::int64_t own_ns = 0;            // without tasks that they created
    std::int64_t with_children_ns = 0;  // with them; types inside themselves counted once
    std::uint64_t created = 0, completed = 0, failed = 0, cancelled = 0, stillborn = 0, pauses = 0;
    double paused_ns = 0, wall_ns = 0;          // from pause to run; from creation to end
    double longest_ns = 0, longest_run_ns = 0;  // of one task, and one run of it, own time
    std::uint64_t ended() const { return completed + failed + cancelled; }
};

// The one with most own time first.
std::vector<TaskType> task_types(const Profile& profile);

bool has_tasks(const Profile& profile);

}  // namespace vftrace
