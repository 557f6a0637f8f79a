// Samples of the kernel's work for a thread: system calls, page faults, starting and stopping.
//
// It uses events of perf_event_open without signals: the kernel writes into a ring where the
// thread's own code entered the kernel, with a copy of the innermost part of its stack. The thread
// reads the ring after its return. So no system call is interrupted, as it would be by a signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling/unwinder.hpp"
#include "unwind/event_ring.hpp"

namespace vftrace {

struct KernelSample {
    std::uint64_t moment_ns;  // of the kernel's own clock
    Registers registers;      // of the thread's own code
    CopiedStack stack;
};

// Allows rings in this process from now on; otherwise KernelSamples::start() does nothing. To be
// called again in a child of fork, where the rings are the parent's.
void allow_kernel_samples();

// For one thread; zeroed memory is a valid object.
class KernelSamples {
  public:
    // For a thread of this process, given by the kernel's number, whose own code is sampled every
    // `period_ns`; samples of the kernel are rarer. Does nothing if the system does not allow them;
    // it allows them if perf_event_paranoid is below 2 or the process is privileged.
    void start(int thread, std::uint64_t period_ns);
    // May be called by any thread. If the thread is reading, waits for the end of that, 100 ms at
    // most.
    void stop();

    // Called by the thread itself. Async-signal-safe; takes about 10 ns if there is nothing to
    // read. Calls visit(const KernelSample&, nanoseconds that the sample represents). Does not
    // report how much was lost because the ring was full or a record could not be used.
    template <class Visitor>
    void take(Visitor visit);
    void skip();

  private:
    // Makes stop() wait.
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
    // Whether the fine ring has run out of room.
    bool lost_some() const;

    // The coarse ring has fewer samples, and is used when the fine one cannot hold all of its own:
    // as for a thread that hardly leaves the kernel.
    EventRing fine_, coarse_;
    std::uint64_t fine_ns_, coarse_ns_;  // their periods
    KernelSample sample_;  // not on the stack, because a signal handler may have little of it
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
