// Calls and times of one thread by call path, from the samples of its trace. For tools.
#pragma once

#include <cstdint>
#include <vector>

#include "readers/vfd_reader.hpp"

namespace vftrace {

struct PathTimes {
    std::uint64_t calls = 0;
    std::int64_t inclusive_ns = 0, exclusive_ns = 0;
    // Part of inclusive_ns: while the interval left out events, the thread was in this call or in
    // calls that it made.
    std::int64_t left_out_ns = 0;
};

struct TracedTimes {
    std::vector<PathTimes> paths;            // by stack
    std::vector<PathMessages> messages;      // by stack; of all threads, with thread 0's samples
    std::int64_t first_ns = 0, last_ns = 0;  // of samples; 0 without samples
    std::uint32_t first_stack = 0;           // the stack of the first sample
    std::uint64_t dropped = 0;               // events that are missing
    std::uint64_t contradictions = 0;        // exits of calls that were not open
};

// `is_pause`, by stack: time in these is not part of the callers' time. Throws VfdError.
//
// Without an interval, the trace has every entry and exit, and calls are nested like the samples.
// With an interval, a sample still names its whole path, so it is known where the thread was right
// before and right after it. An event is written if `interval` has passed since the one before, so
// nothing happened later than an interval after a sample: that time belongs to where the thread was
// before the next one. Of the first interval, if events were left out in it, only the innermost
// call that was open throughout is known (left_out_ns).
TracedTimes times_of_thread(const VfdFile& trace, std::uint32_t thread,
                            const std::vector<bool>& is_pause);

}  // namespace vftrace
