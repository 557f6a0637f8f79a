// Says which task blocks its event loop: one that runs for long without a pause. Looks at the
// frames of threads from the outside, as the live print of sections does.
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
