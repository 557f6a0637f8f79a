// Estimates from the counts of a thinned node: how many of its calls were timed, and how long all
// took.
#pragma once

#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// What a node's counts say about its outermost calls.
struct CallsByTiming {
    std::uint64_t every;    // timed, from when all of them were
    std::uint64_t thinned;  // of which some were timed:
    std::uint64_t timed;
};
CallsByTiming calls_by_timing(const Node& node);

// Estimated ticks of the thinned calls together, and the standard error of that.
struct ThinnedTime {
    double ticks, standard_error;
};
ThinnedTime thinned_time(const Node& node);

}  // namespace vftrace
