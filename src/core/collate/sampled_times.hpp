// The times of call paths that are known from samples.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/tree_times.hpp"

namespace vftrace {

// Samples that hit the function of a node itself; 0 for nodes that have calls instead.
std::uint64_t samples_of(const Node& node);
// The same for page faults.
std::uint64_t page_faults_of(const Node& node);
// Ticks that the kernel has spent working for it.
std::int64_t kernel_ticks_of(const Node& node);

// Sets the time of functions that have samples to that of the samples and of everything that was
// called there. Times by the clock, there or around it, become at least those of their contents.
// `times` already has the times by the clock; nothing changes in a tree without samples.
void add_sampled_times(std::vector<NodeTimes>& times);

// Adds the uncertainty of samples: how many hit a function is, in the worst case, pure chance.
void add_sampled_variances(std::vector<NodeTimes>& times);

}  // namespace vftrace
