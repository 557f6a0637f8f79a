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

// For a thread of this process, given by the kernel's number, since it began; zeros if the kernel
// does not report them. Takes about 30 us, because it reads files in /proc (Linux,
// Documentation/scheduler/sched-stats.rst).
//
// The kernel's sum also includes the wait for a processor after waiting for something else. Both
// kinds are assumed to last equally long on average.
ProcessorWaits processor_waits(int thread);

}  // namespace vftrace
