// Turns figures of the whole process, single values and series, into those of the profile's rank.
#pragma once

#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Appends them and their metrics. Threads of the process may continue to run.
void collect_process_figures(Profile& profile, const ProcessRecord& process, double ns_per_tick);

}  // namespace vftrace
