// One estimate of each function's time from clock readings in hooks and from samples.
//
// The clock is accurate for long calls, but not for short ones: reading it takes as long as they
// do, and a processor overlaps the two. Samples are accurate for both, within their statistical
// error, but do not see waiting. doc/overhead.md describes how they are combined.
#pragma once

#include <vector>

#include "collate/tree_times.hpp"

namespace vftrace {

// Fewer samples than this are not worth combining with anything.
inline constexpr std::uint64_t fewest_samples = 30;

// By how many ticks measuring has made the thread run longer, and the standard error of that.
struct MeasuringCost {
    double ticks = 0, error = 0;
};

// Replaces the corrected times by an estimate from both sources, in which inclusive time is the
// exclusive time plus that of the callees. Time that the clock attributes to the caller of
// functions without hooks is distributed according to the samples. From then on, callers are those
// of `thread`.
//
// Returns what measuring cost, from calibration and the samples that found the library at work,
// without what only took the place of waiting.
MeasuringCost combine_with_samples(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                                   const HookCosts& costs);

// For threads with too few samples: where the cost that is subtracted exceeds the times of some
// functions, those of others and the cost become smaller, as far as their uncertainties allow, so
// that times and cost add up to the time of the run. Returns what measuring cost.
MeasuringCost balance_with_cost(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                                const HookCosts& costs);

}  // namespace vftrace
