// Profiles of uninstrumented programs: the call stack of each thread, sampled a thousand times per
// second of its processor time.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "sampling/sample_timer.hpp"

namespace vftrace {

// Whether our own unwinder can follow stacks of this machine's processor. For others there is
// libunwind: walk_by_libunwind().
bool own_unwinder_knows_processor();

// From now on threads that begin are sampled, `frequency` times a second; for the calling one,
// sampled_threads->thread_begins() has to be called, which starts its timer. Returns the clock that
// the timers use; none, with errno set, if there is none. The handler of sampling_signal must be
// on_sampling_signal(). `with_kernel`: the kernel's work for the threads is sampled too, if the
// system allows it.
SampleClock start_sampling(double frequency, bool with_kernel);

// Sets another time between two samples; to be called before the first thread is sampled.
void sample_every(std::uint64_t period_ns);

// The same for a program that has hooks, to be called on the thread that has reached the first one:
// the samples count for the paths that the hooks create. The rate is different: sets `period_ns` to
// the processor time between two samples. Returns the clock; none, with errno set, if there is none
// that never cuts a system call short.
SampleClock start_sampling_beside_hooks(std::uint64_t& period_ns);

// Stops the timers of all threads and waits until no thread is booking a sample, a second at most.
// Signals that are on their way may still arrive, and have no effect. Threads that begin later have
// no timers; resume_sampling() starts all timers. Returns false if there were none, as in a child
// of vfork(), or if some may be left.
bool stop_sampling();
void resume_sampling();

// From now on the handler runs on the stacks of the threads themselves, and needs `bytes` there:
// threads whose stacks are not much larger are no longer sampled.
void sample_on_thread_stacks(std::size_t bytes);

// To be called in a child of fork, where all timers are the parent's: starts a new one for the
// thread that forked.
void restart_thread_samples();

// Books a sample. Returns false if the signal does not come from our timers.
bool on_sampling_signal(const siginfo_t& information, const void* context);

}  // namespace vftrace
