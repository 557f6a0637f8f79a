// On which processors threads may run (ThreadRecord::processors).
#pragma once

#include "record/process_record.hpp"

namespace vftrace {

// To be called by an ending thread. Costs a system call.
void note_binding(ThreadRecord& own);

// The run ends: notes the same for all threads that continue, and the cores of those that are bound
// to one or two of the host's `processors`. To be called by one thread.
void note_bindings_at_end(std::uint64_t processors);

}  // namespace vftrace
