// Time in which threads were runnable but did not have a processor, because others used it.
//
// The clock of a call advances during this time, but there are no samples. A thread may lose its
// processor at any moment, so this time is distributed in proportion to the samples; time in which
// it waits for something else belongs to the waiting call.
#pragma once

#include <cstdint>

namespace vftrace {

struct ProcessorWaits {
    std::uint64_t ns = 0;     // after the thread was interrupted, until it continued
    std::uint64_t count = 0;  // how often it was interrupted
};

// Of a thread of this process, by the kernel's number, since it began; nothing if the kernel does
// not report. About 30 us: files in /proc (Linux, Documentation/scheduler/sched-stats.rst).
//
// The kernel counts waiting for a processor after waiting for something else in the same sum. Both
// kinds are taken to last as long on average.
ProcessorWaits processor_waits(int thread);

}  // namespace vftrace
