// Counter readings by call path, as they are stored with a thread's tree: the rows of a side table
// (record/side_table.hpp) are a CounterSums for each counter, and its notes are CounterSharing.
#pragma once

#include <cstdint>

namespace vftrace {

// Of one node and counter: what it counted between entries and exits. As sums of differences they
// wrap around like unsigned numbers; read as signed ones they are right.
struct CounterSums {
    std::uint64_t inclusive;  // outermost activations
    std::uint64_t exclusive;  // all activations, without those of nodes below that read too
};

// The processor may have fewer counters than are requested, by this program or others at the same
// time: then they take turns.
enum CounterSharing : std::uint8_t {
    counters_scaled = 1,    // what was counted is scaled to the whole time
    counters_with_gaps = 2  // what was not counted is missing
};

}  // namespace vftrace
