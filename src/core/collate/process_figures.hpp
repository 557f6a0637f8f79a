// Turns figures of the whole process, single values and series, into those of the profile's rank.
#pragma once

#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Appends them and their metrics. Threads of the process may continue to run. `paths`: nullptr:
// series about call paths are left out.
void collect_process_figures(Profile& profile, const ProcessRecord& process, double ns_per_tick,
                             const NodePaths* paths);

}  // namespace vftrace
