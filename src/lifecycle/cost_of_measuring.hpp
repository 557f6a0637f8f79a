// The cost of measuring in this run, from the configuration to the profile.
#pragma once

#include "config/options.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Called when the library starts.
void prepare_overhead(const Options& options);

// The process has a new record: measures what calls cost and begins to keep that down, as far as
// the options say. Allocates nothing.
void start_overhead(ProcessRecord& record, const Options& options);

// Measures again, at the end: the costs in between, and how certain they are. Says in `run` if both
// measurements have little in common.
Calibration final_calibration(const ProcessRecord& record, double ns_per_tick, RunInfo& run);

}  // namespace vftrace
