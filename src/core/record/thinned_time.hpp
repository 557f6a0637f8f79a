// Estimates from the counts of a thinned node: how many of its calls were timed, and how long all
// of them took.
#pragma once

#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// A node's outermost calls by how they were timed, derived from its counts.
struct CallsByTiming {
    std::uint64_t every;    // made while all calls were timed
    std::uint64_t thinned;  // made while only some calls were timed
    std::uint64_t timed;
};
CallsByTiming calls_by_timing(const Node& node);

// Estimated ticks of all thinned calls together, and the standard error of this estimate.
struct ThinnedTime {
    double ticks, standard_error;
};
ThinnedTime thinned_time(const Node& node);

}  // namespace vftrace
