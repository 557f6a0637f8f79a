// Turns the counter readings of threads' nodes into metrics of the profile's call paths.
//
// For each counter a path gets two metrics, "hwprof.<symbol>" (exclusive: without the counts of
// nodes below that have readings) and "hwprof.<symbol>.inclusive". It also gets "hwprof.T", the
// time to which its exclusive counts refer: its own exclusive time and that of all paths below it
// up to those with readings of their own. All are sums over threads and ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"
#include "collate/side_figures.hpp"
#include "collate/tree_times.hpp"
#include "config/options.hpp"
#include "profile/profile.hpp"
#include "record/counter_sums.hpp"

namespace vftrace {

// Records in `run` which counters and observables there are, if counters are read at all.
void set_counter_information(RunInfo& run, const Options& options);

class CounterFiguresSum {
  public:
    // `profile` already has its paths, and its counters in `run`.
    CounterFiguresSum(Profile& profile, double ns_per_tick);

    // Adds one thread.
    void add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times);

    // Adds the sums to the profile.
    void finish();

  private:
    struct PathSums {
        std::uint32_t path;
        std::int64_t ticks = 0;
        std::vector<CounterSums> counters;
    };
    PathSums& sums_of(std::uint32_t path);

    Profile& profile_;
    double ns_per_tick_;
    std::vector<std::uint32_t> index_;  // by path: into sums_, or no_index
    std::vector<PathSums> sums_;
    std::uint64_t scaled_threads_ = 0, gappy_threads_ = 0;
};

}  // namespace vftrace
