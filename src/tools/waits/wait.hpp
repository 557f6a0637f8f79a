// The data shared by the parts of the analysis: operations on the common clock, and waits.
#pragma once

#include <cstdint>

#include "record/wait_patterns.hpp"

namespace vftrace {

// Where a rank was in its program.
struct TracePlace {
    std::uint32_t rank = 0;    // index into RunTraces::ranks()
    std::uint32_t thread = 0;  // of the file
    std::uint32_t path = 0;    // of the call, in RunTraces::paths()
};

// One side of a message, or one rank's part in a collective. Times are those of the common clock.
struct Operation {
    TracePlace started;       // by this call,
    TracePlace waited;        // and this call noticed the completion
    std::int64_t start = 0;   // begin of the first call
    std::int64_t enter = 0;   // begin of the second call; the rank can wait from here
    std::int64_t end = 0;     // end of the second call
    std::uint64_t bytes = 0;  // of a message
};

// A rank waits in [begin, end) for another one, which has not yet arrived at the operation.
struct FoundWait {
    TracePlace place;
    std::int64_t begin, end;
    std::uint32_t cause_rank, cause_thread;
    WaitPattern pattern;

    std::int64_t ns() const { return end - begin; }
};

}  // namespace vftrace
