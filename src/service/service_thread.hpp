// Periodic work while the program runs, done by the library's own threads.
//
// Each thread is started when there is work for it for the first time, in each process, and ends
// with the run. Work that can block, such as writing files, has a separate thread, because it would
// delay other work. (The writer of the trace has its own.)
#pragma once

#include <cstdint>

namespace vftrace {

// In static memory: the thread may look at it as long as the process lives.
struct TimedWork {
    std::uint64_t interval_ns;
    void (*run)();
    bool writes_files = false;
    bool waits_first = false;  // the first time is an interval from the beginning, not at once
    // The service thread's: when it is due next, and how often it came too late by whole intervals.
    std::uint64_t due_ns = 0;
    std::uint64_t missed = 0;
    TimedWork* next = nullptr;
};

// The interval that an option gives in seconds, `shortest` at least; 0 or less: 0.
std::uint64_t interval_ns(double seconds, double shortest);

// From now on runs `work` every interval until the run ends. Memory that runs out in it ends that
// call alone (base/guarded.hpp). Once a process and piece of work, which must not be in use.
// Returns 0, or the error number if the thread cannot be started.
int every(TimedWork& work);

// The run is over: when this returns no work is being done, and none will be.
void stop_service();

}  // namespace vftrace
