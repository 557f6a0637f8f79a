// Turns the durations of the calls of threads (record/latencies.hpp) into those of paths.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class LatenciesSum {
  public:
    // `profile` already has its paths; `start`: ticks at which the process began.
    LatenciesSum(Profile& profile, std::uint64_t start, double ns_per_tick)
        : profile_(profile), start_(start), ns_per_tick_(ns_per_tick),
          of_path_(profile.paths.size()), nested_calls_(profile.paths.size()) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // Adds the rows to the profile, whose paths have their calls.
    void finish();

  private:
    void add(const LatencyRow& row, std::uint32_t path);

    Profile& profile_;
    std::uint64_t start_;
    double ns_per_tick_;
    std::vector<PathLatencies> of_path_;
    std::vector<std::uint64_t> nested_calls_;
};

}  // namespace vftrace
