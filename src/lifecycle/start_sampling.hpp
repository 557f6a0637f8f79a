// Whether the program is sampled, and what that needs of the process: a signal, and to be said.
#pragma once

#include "config/options.hpp"
#include "tree/process_record.hpp"

namespace vftrace {

// Recording has begun: begins to sample the calling thread and those that it will make, if
// `stack_sampling.frequency` says so.
void start_samples(const Options& options, const char* program);

// Notes in the record how the process is sampled.
void note_sampling(ProcessRecord& record);

}  // namespace vftrace
