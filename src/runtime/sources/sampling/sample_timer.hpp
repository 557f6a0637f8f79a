// The timer that interrupts a thread while it computes: one per thread, which counts the thread's
// own processor time.
//
// A timer of perf_event_open that counts only user code fires between two instructions of the
// program and never in a system call, so it does not interrupt system calls. If that is forbidden,
// a timer of the thread's processor time is used, which the kernel checks at each of its ticks.
#pragma once

#include <csignal>
#include <cstdint>

#include "record/sample_clock.hpp"

namespace vftrace {

// The signal: it is ignored by default, hardly any program uses it, and debuggers let it pass
// silently. It is not a real-time signal, because those queue up while a thread has them blocked.
inline constexpr int sampling_signal = SIGURG;

struct SampleWeight {
    std::uint64_t periods;  // of the timer
    std::uint64_t page_faults;
};

// If perf_event_open is allowed, page faults in the program's code are sampled along with its time,
// one in this many.
inline constexpr std::uint64_t page_faults_a_sample = 101;

class SampleTimer {
  public:
    // Starts the timer for a thread of this process, given by the kernel's number. It uses the
    // clock `wanted`, or the other one if that is not available. Returns the clock that is used;
    // none, with errno set, if neither is available. Keeps no file open.
    SampleClock start(int thread, std::uint64_t period_ns,
                      SampleClock wanted = SampleClock::user_code);
    // May be called by any thread of the process. A signal that is on its way still arrives.
    void stop();

    // Whether the signal came from one of our timers.
    static bool sent(const siginfo_t& information);
    // The time that a signal represents.
    SampleWeight weight(const siginfo_t& information) const;

  private:
    bool start_events(int thread, std::uint64_t period_ns);
    bool start_timer(int thread, std::uint64_t period_ns);

    SampleClock clock_ = SampleClock::none;
    // A page of each event, which keeps the event alive.
    void *time_event_ = nullptr, *fault_event_ = nullptr;
    int fault_file_ = -1;  // number of the latter's file, which identifies the source of signals
    int timer_ = 0;        // the kernel's number
};

}  // namespace vftrace
