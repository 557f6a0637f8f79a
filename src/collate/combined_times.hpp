// One estimate of each function's time from clock readings in hooks and from samples.
//
// The clock is right about calls that are long, and wrong about short ones: it takes as long as
// they do, and a processor overlaps its work with theirs. Samples are right about both, within
// their statistical error, but do not see waiting. doc/overhead.md describes how they are combined.
#pragma once

#include <vector>

#include "collate/tree_times.hpp"

namespace vftrace {

// Fewer samples than this are not worth being combined with anything.
inline constexpr std::uint64_t fewest_samples = 30;

// Replaces the corrected times by an estimate from both sources, in which inclusive time is
// exclusive time and that of the callees. Time that the clock has for the caller of functions
// without hooks is shared by the samples. Callers are those of `thread` from now on.
//
// Returns for how many ticks measuring has made the thread run longer, by calibration and the
// samples that found the library at work; not what only took the place of waiting.
double combine_with_samples(std::vector<NodeTimes>& times, const NodePaths::Thread& thread,
                            const HookCosts& costs);

}  // namespace vftrace
