// The earlier run that this one continues (section.accumulate).
#pragma once

#include "config/options.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Reads its profile, when the library starts; what is wrong with that is reported.
void prepare_earlier_run(const Options& options);

// A new record gets what was read, except for that of a child of fork: its parent has it. Allocates
// nothing.
void note_earlier_run(ProcessRecord& record);

}  // namespace vftrace
