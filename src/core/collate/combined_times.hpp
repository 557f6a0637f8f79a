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

// Replaces the corrected times by an estimate from both sources, in which inclusive time is the
// exclusive time plus that of the callees. Time that the clock attributes to the caller of
// functions without hooks is distributed according to the samples. From then on, callers are those
// of `thread`.
//
// Returns by how many ticks measuring has made the thread run longer, from calibration and the
// samples that found the library at work, without what only took the place of waiting.
double combine_with_samples(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                            const HookCosts& costs);

}  // namespace vftrace
