// The timer that interrupts a thread while it computes: one a thread, counting the thread's own
// processor time.
//
// A timer of perf_event_open that counts user code alone comes between two instructions of the
// program and never in a system call, so no call is cut short by it. Where that is forbidden, a
// timer of the thread's processor time serves, which the kernel looks at with each of its ticks.
#pragma once

#include <csignal>
#include <cstdint>

namespace vftrace {

// The signal: one that nobody else sends. Not a real-time signal, for those queue up while a thread
// has them blocked. 0: there is none on this machine.
#ifdef SIGSTKFLT
inline constexpr int sampling_signal = SIGSTKFLT;
#else
inline constexpr int sampling_signal = 0;
#endif

enum class SampleClock : std::uint8_t {
    none,
    user_code,   // perf_event_open: processor time in the program's code, not in the kernel
    thread_time  // processor time of the thread, at the pace of the kernel's ticks
};

class SampleTimer {
  public:
    // Starts one for the calling thread. Returns which clock it goes by; none, with errno, if there
    // is no way. Keeps no file open.
    SampleClock start(std::uint64_t period_ns);
    void stop();

    // Whether the signal came from a timer of ours.
    static bool sent(const siginfo_t& information);
    // Periods that a signal stands for.
    static std::uint64_t periods(const siginfo_t& information);

  private:
    bool start_event(std::uint64_t period_ns);
    bool start_timer(std::uint64_t period_ns);

    SampleClock clock_ = SampleClock::none;
    void* event_ = nullptr;  // a page of it, which keeps it alive
    int timer_ = 0;          // the kernel's number
};

}  // namespace vftrace
