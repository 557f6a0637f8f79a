// Samples of the kernel's work for a thread: system calls, page faults, starting and stopping.
//
// It uses events of perf_event_open without signals: the kernel writes into a ring where the
// thread's own code entered the kernel, with a copy of the innermost part of its stack. The thread
// reads the ring after its return. So no system call is interrupted, as it would be by a signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling/event_ring.hpp"
#include "sampling/unwinder.hpp"

namespace vftrace {

struct KernelSample {
    std::uint64_t moment_ns;  // of the kernel's own clock
    Registers registers;      // of the thread's own code
    CopiedStack stack;
};

// From now on rings may be used in this process. Not called: KernelSamples::start() does nothing.
// Again in a child of fork, where the rings are the parent's.
void allow_kernel_samples();

// Of one thread; zeroed memory is a good one.
class KernelSamples {
  public:
    // For a thread of this process, by the kernel's number, whose own code has a sample each
    // `period_ns`; samples of the kernel are fewer. Does without if the system does not let us,
    // which it does where perf_event_paranoid is below 2 or the process has rights of its own.
    void start(int thread, std::uint64_t period_ns);
    // By any thread. If the thread is just reading, waits for that, a moment at most.
    void stop();

    // By the thread itself. Async-signal-safe; about 10 ns if there is nothing. Calls visit(const
    // KernelSample&, nanoseconds that it stands for). How much was lost, because the ring was full
    // or something was not to be known, is not said.
    template <class Visitor>
    void take(Visitor visit);
    void skip();

  private:
    // Holds off stop().
    class Reading {
      public:
        explicit Reading(KernelSamples& samples);
        ~Reading() { __atomic_store_n(&samples_.reading_, false, __ATOMIC_RELEASE); }
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        explicit operator bool() const { return allowed_; }

      private:
        KernelSamples& samples_;
        bool allowed_;
    };
    // Returns false if the record is not a sample that can be used.
    static bool parse(const EventRecord& record, KernelSample& sample);
    // Whether the finer ring has had no room for more.
    bool lost_some() const;

    // Has fewer samples, for data that the other one cannot hold: a thread that hardly leaves the
    // kernel.
    EventRing fine_, coarse_;
    std::uint64_t fine_ns_, coarse_ns_;  // their periods
    KernelSample sample_;  // not on the stack, of which a signal handler may have little
    int thread_;
    bool active_, reading_;
};

template <class Visitor>
void KernelSamples::take(Visitor visit) {
    const Reading reading(*this);
    if (!reading || fine_.is_empty())
        return;
    const bool lost = lost_some();
    std::uint64_t latest_ns = 0;
    fine_.read([&](const EventRecord& record) {
        if (!parse(record, sample_))
            return;
        latest_ns = sample_.moment_ns;
        visit(sample_, fine_ns_);
    });
    if (!coarse_)
        return;
    coarse_.read([&](const EventRecord& record) {
        if (lost && parse(record, sample_) && sample_.moment_ns > latest_ns)
            visit(sample_, coarse_ns_);
    });
}

}  // namespace vftrace
