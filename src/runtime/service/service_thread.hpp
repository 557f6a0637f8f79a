// Periodic work while the program runs, done by the library's own threads.
//
// In each process, each thread is started when there is work for it for the first time, and ends
// with the run. Work that can block, such as writing files, has a separate thread, because it would
// delay other work. (The writer of the trace has its own thread.)
#pragma once

#include <cstdint>

namespace vftrace {

// Must be in static memory, because the thread may access it as long as the process lives.
struct TimedWork {
    std::uint64_t interval_ns;
    void (*run)();
    bool writes_files = false;
    bool waits_first = false;  // first run after an interval, not at once
    // For the service thread: when the work is due next, and by how many whole intervals it was
    // late.
    std::uint64_t due_ns = 0;
    std::uint64_t missed = 0;
    TimedWork* next = nullptr;
};

// The interval of an option in seconds, at least `shortest`; 0 if the option is 0 or less.
std::uint64_t interval_ns(double seconds, double shortest);

// From now on, runs `work` every interval until the run ends. If memory runs out in it, only that
// call ends (base/guarded.hpp). To be called once per process and piece of work, which must not be
// in use. Returns 0, or the error number if the thread cannot be started.
int every(TimedWork& work);

// Called at the end of the run: when this returns, no work is being done, and none will be.
void stop_service();

}  // namespace vftrace
