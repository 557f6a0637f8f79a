// What each path of a profile has allocated, and what of that it had at the peak and at the end:
// estimates with their errors, from the metrics of the source `heap`.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// A sum over a sample, and an estimate of its variance. A variance of 0: everything was counted.
struct Estimate {
    double value = 0, variance = 0;
};

// Standard errors on either side of an estimate between which the true value lies with a
// probability of 95 %, if the errors have a normal distribution.
inline constexpr double z_95 = 1.96;

struct ErrorBounds {
    double low, high;
};

// The interval in which the true value lies with a probability of 95 %. The value is treated like a
// number of events of equal weight, variance / value each: the interval is that of the score test
// of a Poisson distribution (N. E. Breslow, N. E. Day, "Statistical Methods in Cancer Research",
// vol. 2, 1987, p. 70), which is not symmetric, and holds for few events too.
ErrorBounds interval_95(const Estimate& estimate);

// Half the width of that interval, in % of the value; 0: it is exact.
double error_percent(const Estimate& estimate);

// The path for which another one allocates: an operator new that is a function of its own, in a
// sampled program, allocates for its caller. Else the path itself.
std::uint32_t allocating_path(const Profile& profile, std::uint32_t path);

struct PathHeap {
    std::uint32_t path;    // index into Profile::paths
    Estimate allocated;    // bytes
    Estimate calls;        // allocations
    Estimate live;         // bytes that were not freed
    Estimate at_peak;      // bytes when all live memory of the process was largest; of several
                           // processes, each at its own peak
    double temporary = 0;  // of the allocations those that were freed before the thread's next one
    double samples = 0;    // allocations that were seen
};

// In the order of paths; without those that have allocated nothing. What operator new has
// allocated, where it has a path of its own, is its caller's.
std::vector<PathHeap> path_heap(const Profile& profile);

struct RankHeap {
    std::uint32_t rank;
    double sample_bytes = 0;  // mean number of bytes between two samples; 1: all were counted
    double live = 0;          // bytes at the end
    double peak = 0;
    double peak_time_ns = 0;  // since the rank began to record
    double not_recorded = 0;  // bytes allocated where nothing is recorded, such as before main
    double use_samples = 0;   // samples that were examined for SitePlacement
};

// In the order of ranks.
std::vector<RankHeap> rank_heap(const Profile& profile);
// The first of those with the highest peak; nullptr: there are none.
const RankHeap* rank_with_highest_peak(const std::vector<RankHeap>& ranks);

bool has_heap(const Profile& profile);

}  // namespace vftrace
