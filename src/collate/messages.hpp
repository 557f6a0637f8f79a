// From the message figures of all threads to those of the profile.
#pragma once

#include "collate/path_of_node.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Fills messages, matrix and message_sizes, and adds warnings about requests that were never
// seen to complete.
void collect_messages(Profile& profile, double ns_per_tick, const PathOfNode& path_of);

}  // namespace vftrace
