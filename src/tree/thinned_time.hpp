// What the counts of a thinned node say: how many of its calls were timed, and how long all took.
#pragma once

#include <cstdint>
#include <limits>

#include "tree/node.hpp"

namespace vftrace {

// Node::untimed_left of a node that only counts, and what such nodes have more of in
// Node::thinned_calls.
inline constexpr std::int32_t muted_calls = std::numeric_limits<std::int32_t>::max();

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
