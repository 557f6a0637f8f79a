// How long the calls of each path took: counts by bins of logarithmic width, and percentiles of
// them.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "record/latencies.hpp"

namespace vftrace {

// Calls below this are only counted.
inline constexpr std::uint64_t least_latency_ns = 1024;

// Calls that took start_of_bin(bin) ns, but less than start_of_bin(bin + 1).
struct LatencyCount {
    std::uint32_t bin;
    std::uint64_t calls;
};

struct LongestCall {
    std::int64_t ns = 0;
    std::int64_t end_ns = 0;  // since the start of its rank
    std::uint32_t rank = 0;

    // Of two calls of the same length, that of the lower rank comes last.
    bool operator<(const LongestCall& other) const {
        return ns != other.ns ? ns < other.ns : rank > other.rank;
    }
};

// Of one path. Calls of direct recursion are part of the outermost one.
struct PathLatencies {
    std::uint32_t path = 0;   // index into Profile::paths
    std::uint64_t calls = 0;  // all of them; of short calls that are not all timed, an
                              // estimate is in the bins
    LongestCall longest{};
    std::vector<LatencyCount> bins{};  // sorted by bin
};

// Sorts them by bin, and counts of the same one become one.
void sort_and_add_up(std::vector<LatencyCount>& bins);

// Adds the calls of other threads, ranks or runs in the same path.
void add_latencies(PathLatencies& sum, const PathLatencies& other);

// The time, in ns, that this share of the calls does not exceed: the end of a bin, and so at most
// 25 % more than exactly, or that of the longest call. 0: less than least_latency_ns.
double percentile_ns(const PathLatencies& latencies, double share);

// The time, in ns, of the longest calls, which are at most this share of all, from the middles of
// the bins: `calls` receives how many. With their error of at most 12.5 %.
double ns_of_longest(const PathLatencies& latencies, double share, std::uint64_t& calls);

}  // namespace vftrace
