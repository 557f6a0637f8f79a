// Reports tasks that block their event loop by running for long without a pause. It reads the
// frames of threads from outside, like the live output of sections.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_blocked_loops(const Options& options);

// To be called once per process, when there are tasks: starts reporting, if requested.
void start_blocked_loops();
// In a child of fork.
void forget_blocked_loops();
// To be called when the run and the work of the service thread are over.
void end_blocked_loops();

}  // namespace vftrace
