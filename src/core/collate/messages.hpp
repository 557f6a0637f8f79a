// Turns the message figures of all threads into those of the profile.
#pragma once

#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/message_figures.hpp"

namespace vftrace {

// The messages belong to rank `profile.run.rank`. Fills messages, matrix and message_sizes, and
// adds notices about requests that were never seen to complete.
void collect_messages(Profile& profile, double ns_per_tick, const RequestCounts& requests,
                      const NodePaths& paths);

}  // namespace vftrace
