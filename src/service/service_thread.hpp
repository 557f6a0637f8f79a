// Work that is due again and again while the program runs, done by one thread of the library's own.
//
// The thread is started when there is first work, in each process, and ends with the run. What can
// block, such as writing files, is not for it: it would delay the other work (the trace's writer
// has a thread of its own).
#pragma once

#include <cstdint>

namespace vftrace {

// In static memory: the thread may look at it as long as the process lives.
struct TimedWork {
    std::uint64_t interval_ns;
    void (*run)();
    // The service thread's: when it is due next, and how often it came too late by whole intervals.
    std::uint64_t due_ns = 0;
    std::uint64_t missed = 0;
    TimedWork* next = nullptr;
};

// From now on runs `work` every interval, the first time at once, until the run ends. Memory that
// runs out in it ends that call alone (base/guarded.hpp). Once a process and piece of work, which
// must not be in use. Returns 0, or the error number if the thread cannot be started.
int every(TimedWork& work);

// The run is over: when this returns no work is being done, and none will be.
void stop_service();

}  // namespace vftrace
