// Profiles of programs that were not compiled for it: the call stack of each thread, looked at a
// thousand times a second of its processor time.
#pragma once

#include <csignal>
#include <cstdint>

#include "sampling/sample_timer.hpp"

namespace vftrace {

// Whether this library can sample on this machine's processor.
bool sampling_is_possible();

// From now on threads that begin are sampled, `frequency` times a second; start_thread_samples()
// does so for the calling one, which makes its timer. Returns the clock that the timers go by, none
// with errno if there is none. The handler of sampling_signal has to be on_sampling_signal().
SampleClock start_sampling(double frequency);

// The calling thread is not sampled any more.
void stop_thread_samples();

// In a child of fork: the timer of the thread that forked is the parent's.
void restart_thread_samples();

// Books a sample. Returns false if the signal does not come from our timers.
bool on_sampling_signal(const siginfo_t& information, const void* context);

}  // namespace vftrace
