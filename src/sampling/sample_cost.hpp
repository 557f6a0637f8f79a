// What a sample costs before anything is done with it: an interrupt and a signal, which are cheap
// on hardware and not where processors are virtual.
#pragma once

namespace vftrace {

// Nanoseconds, measured on the calling thread within some 6 ms; 0: not known. The handler of
// sampling_signal has to be there, and the thread not to be sampled yet.
double cost_of_sample_ns();

}  // namespace vftrace
