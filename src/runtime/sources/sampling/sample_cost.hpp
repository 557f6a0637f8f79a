// The cost of a sample before it is handled: an interrupt and a signal, which are cheap on real
// hardware but not on virtual processors.
#pragma once

namespace vftrace {

// Nanoseconds, measured on the calling thread within about 6 ms; 0: not known. The handler of
// sampling_signal must be installed, and the thread must not be sampled yet.
double cost_of_sample_ns();

}  // namespace vftrace
