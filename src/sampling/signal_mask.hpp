// The sampling signal in the program's signal masks: never blocked in truth, and shown to the
// program as it has set it.
//
// A thread that has it blocked would get one in place of all that it missed, at the wrong place;
// and one that waits for any signal (sigwait) would be given ours.
#pragma once

namespace vftrace {

// The calling thread takes the signal from now on, whatever mask it was started with.
void allow_sampling_signal();

}  // namespace vftrace
