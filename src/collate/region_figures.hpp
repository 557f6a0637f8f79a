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
    // `profile` has its paths already. Nothing is collected where no report is wanted.
    RegionFiguresSum(Profile& profile, const ProcessRecord& process, double ns_per_tick);

    // Adds the regions of a thread. Those of OpenMP's workers are their master's.
    void add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times);

    // Brings the regions into the profile, and then the sampled figures and those of the process as
    // a whole, when its run has its overhead.
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
