// Profiles of uninstrumented programs: the call stack of each thread, sampled a thousand times per
// second of its processor time.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "sampling/sample_timer.hpp"

namespace vftrace {

// Whether our own unwinder can follow stacks of this machine's processor. libunwind can those of
// others: walk_by_libunwind().
bool own_unwinder_knows_processor();

// From now on threads that begin are sampled, `frequency` times a second; start_thread_samples()
// does so for the calling one, which makes its timer. Returns the clock that the timers go by, none
// with errno if there is none. The handler of sampling_signal has to be on_sampling_signal().
// `with_kernel`: what the kernel does for them too, if the system lets us.
SampleClock start_sampling(double frequency, bool with_kernel);

// So long a time between two samples instead; before the first thread is sampled.
void sample_every(std::uint64_t period_ns);

// The same for a program that has hooks, to be called on the thread that has met the first one: the
// samples count for the paths that the hooks make. At a rate of its own, for which `period_ns` of
// processor time lie between two of them. Returns the clock, none with errno if there is none that
// never cuts a system call short.
SampleClock start_sampling_beside_hooks(std::uint64_t& period_ns);

// Stops the timers of all threads and waits until no thread books a sample any more, a second at
// most. Signals that are on their way may still come, and find nothing to do. Threads that begin
// later have no timers; resume_sampling() starts them all. Returns false if there were none, as in
// a child of vfork(), or if some may be left.
bool stop_sampling();
void resume_sampling();

// From now on the handler runs on the stacks of the threads themselves, and needs `bytes` there:
// threads whose stacks are hardly larger are not sampled any more.
void sample_on_thread_stacks(std::size_t bytes);

// In a child of fork: the timer of the thread that forked is the parent's, and so are the others.
void restart_thread_samples();

// Books a sample. Returns false if the signal does not come from our timers.
bool on_sampling_signal(const siginfo_t& information, const void* context);

}  // namespace vftrace
