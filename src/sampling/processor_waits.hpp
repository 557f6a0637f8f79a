// Time in which threads could have run and had no processor, because others used it.
//
// The clock of a call goes on then, and no sample comes. A thread loses its processor at any
// moment, so that this time belongs to what it does in proportion to the samples; time in which it
// waits for something else belongs to the call that waits.
#pragma once

#include <cstdint>

namespace vftrace {

struct ProcessorWaits {
    std::uint64_t ns = 0;     // after the thread was interrupted, until it went on
    std::uint64_t count = 0;  // how often it was interrupted
};

// Of a thread of this process, by the kernel's number, since it began; nothing if the kernel does
// not tell. Some 30 us: files in /proc (Linux, Documentation/scheduler/sched-stats.rst).
//
// The kernel counts waiting for a processor after waiting for something else in the same sum. Both
// kinds are taken to last as long on average.
ProcessorWaits processor_waits(int thread);

}  // namespace vftrace
