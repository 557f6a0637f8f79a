// Counter readings by call path, as they lie in memory beside a thread's tree, and in its file.
//
//   ThreadRecord::counters -> CounterRecord -> NodeReadings -> NodeReadings ...
//
// Only nodes that read counters have such figures. They are written by their thread alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// Of one node and counter: what it counted between entries and exits. As sums of differences they
// wrap around like unsigned numbers; read as signed ones they are right.
struct CounterSums {
    std::uint64_t inclusive;  // outermost activations
    std::uint64_t exclusive;  // all activations, without those of nodes below that read too
};

struct NodeReadings {
    const Node* node;
    NodeReadings* next_created;
    std::uint64_t open;  // activations that are
    CounterSums* sums() { return reinterpret_cast<CounterSums*>(this + 1); }
    const CounterSums* sums() const { return reinterpret_cast<const CounterSums*>(this + 1); }
};

// The processor may have fewer counters than are asked for, by this program or others at the same
// time: then they take turns.
enum CounterSharing : std::uint8_t {
    counters_scaled = 1,    // what was counted is scaled to the whole time
    counters_with_gaps = 2  // what was not counted is missing
};

struct CounterRecord {
    std::uint32_t counters;  // how many CounterSums follow each NodeReadings
    std::uint32_t sharing;   // CounterSharing
    NodeReadings* first;
    NodeReadings* newest;
};

}  // namespace vftrace
