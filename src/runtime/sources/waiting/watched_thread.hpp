// What is known about the switches of one thread, and about its calls that may wait.
#pragma once

#include <cstdint>

#include "unwind/event_ring.hpp"
#include "waiting/blocked_threads.hpp"
#include "waiting/lock_waits.hpp"
#include "waiting/thread_switches.hpp"
#include "waiting/wait_figures.hpp"

namespace vftrace {

// Of one thread, in its arena. A child of fork does not have the rings, and does not find this.
struct ThreadSwitches {
    EventRing ring;  // none: the thread is not watched (any longer)
    ThreadState* state;
    ThreadWaitFigures* figures;
    std::int32_t tid;
    Out out;                     // since out_ns, unless a record that has not been read says more
    std::uint64_t out_ns;        // CLOCK_MONOTONIC
    std::uint64_t begun_ns;      // when watching began
    std::uint64_t begun_cpu_ns;  // the thread's processor time then
    std::uint64_t earlier_ns;    // of other threads that had the same state
    std::uint64_t earlier_cpu_ns;
    std::uint64_t records;
    SeenWait seen;
    WaitCall call;  // that the thread is in, or has just been in
    LockCall lock;  // the same, if it wants a lock
    // Without a ring: calls are timed by the clocks, as they were at the beginning of the call.
    bool by_clock;
    std::uint64_t call_begun_ns, call_begun_cpu_ns;
    ThreadSwitches* next;
};

}  // namespace vftrace
