// The figures of a process for the report of regions (doc/design/region-report.md): run time and
// number of entries from its trees, and the figures that it sampled on its host.
#pragma once

#include <cstdint>
#include <vector>

#include "base/index_table.hpp"
#include "collate/node_paths.hpp"
#include "collate/tree_times.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class RegionFiguresSum {
  public:
    // `profile` already has its paths. Nothing is collected if no report is wanted.
    RegionFiguresSum(Profile& profile, const ProcessRecord& process, double ns_per_tick);

    // Adds the regions of a thread. Skips OpenMP workers: their regions are those of the master
    // thread.
    void add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times);

    // Adds the regions to the profile, and then, when its `run` has the overhead, the sampled
    // figures and those of the process as a whole.
    void add_regions();
    void finish();

  private:
    // Of one function, on all threads that were in such regions.
    struct Sum {
        std::uint32_t function;
        std::uint64_t id;
        std::uint32_t threads = 0;
        const ThreadRecord* last_thread = nullptr;  // of these
        double ticks = 0, entries = 0;
    };
    void add_row(RegionPart part, const RegionFigures& figures);
    void add_sampled(const SideTable& table);

    Profile& profile_;
    const ProcessRecord& process_;
    const double ns_per_tick_;
    const SideTable* own_;  // the figures of the process; nullptr: no report is wanted
    std::vector<Sum> sums_;
    IndexTable by_function_;
};

}  // namespace vftrace
