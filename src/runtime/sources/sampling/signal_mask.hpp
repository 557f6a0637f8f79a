// The sampling signal in the program's signal masks: it is never really blocked, but the program
// sees it as it has set it.
//
// A thread that blocks it would get a single signal for all that it missed, in the wrong place; and
// a thread that waits for any signal (sigwait) would receive ours.
#pragma once

namespace vftrace {

// The calling thread receives the signal from now on, whatever mask it was started with.
void allow_sampling_signal();

}  // namespace vftrace
