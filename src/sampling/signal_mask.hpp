// The sampling signal in the program's signal masks: never really blocked, but shown to the program
// as it has set it.
//
// A thread that blocks it would get a single signal for all that it missed, at the wrong place; and
// a thread that waits for any signal (sigwait) would receive ours.
#pragma once

namespace vftrace {

// The calling thread takes the signal from now on, whatever mask it was started with.
void allow_sampling_signal();

}  // namespace vftrace
