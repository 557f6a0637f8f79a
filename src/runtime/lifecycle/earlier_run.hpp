// The earlier run that this one continues (section.accumulate).
#pragma once

#include "config/options.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Reads its profile, when the library starts; problems are reported.
void prepare_earlier_run(const Options& options);

// Adds what was read to a new record, except in a child of fork, because the parent's record has
// it. Allocates nothing.
void note_earlier_run(ProcessRecord& record);

}  // namespace vftrace
