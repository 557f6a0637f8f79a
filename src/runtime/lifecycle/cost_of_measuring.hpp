// The cost of measuring in this run, from the configuration to the profile.
#pragma once

#include "config/options.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Called when the library starts.
void prepare_overhead(const Options& options);

// The process has a new record: measures the cost of calls and begins to limit it, as the options
// specify. Allocates nothing.
void start_overhead(ProcessRecord& record, const Options& options);

// Measures again, at the end. Returns the mean costs and their uncertainty. Adds a notice to `run`
// if the two measurements differ a lot.
Calibration final_calibration(const ProcessRecord& record, double ns_per_tick, RunInfo& run);

}  // namespace vftrace
