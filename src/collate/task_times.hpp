// Inclusive times of asynchronous tasks: a task, and the path that created it, include everything
// that it created, whenever and wherever that ran.
#pragma once

#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// By path: whether it is a task, or something that a task does. What a thread does is not done by
// the task that made the thread, which may have been the first one to use a pool.
std::vector<bool> paths_in_tasks(const Profile& profile);

// In tasks and in what they do, sets inclusive time to exclusive time and that of what is below.
// Adds the time of the others to what created them, up to where the thread began.
void sum_up_tasks(Profile& profile);

}  // namespace vftrace
