// Asynchronous tasks of a profile by type: the time of all other paths belongs to the task that
// contains them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"
#include "record/task_sums.hpp"

namespace vftrace {

// All tasks of one type, on whatever paths.
struct TaskType : TaskSums {
    std::string_view name;              // "session (server.cpp:12)"; a text of the profile
    std::int64_t own_ns = 0;            // without tasks that they created
    std::int64_t with_children_ns = 0;  // with them; types inside themselves counted once
};

// By path: the innermost task that it is in, which may be itself; no_index: none. The work of a
// thread does not count for the task that created it.
std::vector<std::uint32_t> innermost_tasks(const Profile& profile);

// The one with the most own time first.
std::vector<TaskType> task_types(const Profile& profile);

// All tasks of one type that were created at one path.
struct TaskPlace : TaskSums {
    std::uint32_t path = 0;             // of the task
    std::uint32_t depth = 0;            // how many tasks it is below
    std::int64_t own_ns = 0;            // without tasks that they created
    std::int64_t with_children_ns = 0;  // with them
};

// Each after the one whose tasks have created its own; of several, the one with the most time,
// including their children's, is first.
std::vector<TaskPlace> task_places(const Profile& profile);

bool has_tasks(const Profile& profile);

// What is remarkable about the runs of tasks of a type: "never yields", "ready for 80 ms before it
// ran"; "" if nothing is. Runs and delays that users of a service notice count.
std::string task_hint(const TaskSums& type);

}  // namespace vftrace
