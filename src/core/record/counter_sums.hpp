// Counter readings by call path, as they are stored with a thread's tree: the rows of a side table
// (record/side_table.hpp) are a CounterSums for each counter, and its notes are CounterSharing.
#pragma once

#include <cstdint>

namespace vftrace {

// What a counter counted between the entries and exits of a node. These are sums of differences,
// which wrap around like unsigned numbers; interpreted as signed numbers they are correct.
struct CounterSums {
    std::uint64_t inclusive;  // outermost activations
    std::uint64_t exclusive;  // all activations, without those of nodes below that read it too
};

// The processor may have fewer counters than are requested at the same time by this program and
// others: then the requested counters take turns.
enum CounterSharing : std::uint8_t {
    counters_scaled = 1,    // counts are scaled to the whole time
    counters_with_gaps = 2  // counts are missing for the time that was not counted
};

}  // namespace vftrace
