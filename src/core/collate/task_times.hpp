// Inclusive times of asynchronous tasks: a task, and the path that created it, include everything
// that it created, whenever and wherever that ran.
#pragma once

#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// By path: whether it is a task, or something that a task does. The work of a thread does not count
// for the task that created the thread, which may merely have been the first one to use a pool.
std::vector<bool> paths_in_tasks(const Profile& profile);

// In tasks and in what they do, sets inclusive time to exclusive time plus that of what is below.
// Adds the time of outermost tasks to the paths that created them, up to the start of the thread.
void sum_up_tasks(Profile& profile);

}  // namespace vftrace
