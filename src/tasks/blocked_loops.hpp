// Reports tasks that block their event loop by running for long without a pause. It reads the
// frames of threads from outside, like the live output of sections.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_blocked_loops(const Options& options);

// There are tasks: from now on, if that is wanted. Once a process.
void start_blocked_loops();
// In a child of fork.
void forget_blocked_loops();
// The run is over, and so is the work of the service thread.
void end_blocked_loops();

}  // namespace vftrace
