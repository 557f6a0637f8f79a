// The times of call paths that are known from samples.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/tree_times.hpp"

namespace vftrace {

// Samples that hit the function itself of a node; 0 of nodes that have calls instead.
std::uint64_t samples_of(const Node& node);
// The same of page faults.
std::uint64_t page_faults_of(const Node& node);
// Ticks that the kernel has worked for it.
std::int64_t kernel_ticks_of(const Node& node);

// Sets the time of functions that have samples to that of these and of all that was called there.
// Times by the clock, there or around it, are at least those of the contents.
// `times` has what the clock says already; nothing changes in a tree without samples.
void add_sampled_times(std::vector<NodeTimes>& times);

// Adds what samples let uncertain: how many hit a function is drawn, in the worst case, by chance.
void add_sampled_variances(std::vector<NodeTimes>& times);

}  // namespace vftrace
