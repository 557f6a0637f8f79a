// Turns the times of each thread's tree into figures of call paths, threads and parallel regions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collate/node_paths.hpp"
#include "collate/tree_times.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class ThreadFiguresSum {
  public:
    // `profile` already has its paths. `end_ticks`: for threads that still run. `uncertainty`: the
    // fraction by which corrections may be wrong.
    ThreadFiguresSum(Profile& profile, double ns_per_tick, std::uint64_t end_ticks,
                     double uncertainty);

    // Adds one thread to the paths, the threads and the parallel regions of the profile. Threads
    // must be added in the order of their numbers. Returns its row in Profile::threads; no_index if
    // it does not have one.
    std::uint32_t add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times);

    // Adds the figures to the profile.
    void finish();

  private:
    struct PathTicks {
        std::uint64_t calls = 0, samples = 0, page_faults = 0;
        std::int64_t inclusive = 0, exclusive = 0, kernel = 0;
        std::int64_t raw_inclusive = 0, raw_exclusive = 0;
        double cost = 0, inclusive_variance = 0, exclusive_variance = 0;
        // The corrections of those times whose variances do not cover the uncertainty of the
        // correction.
        std::int64_t inclusive_correction = 0, exclusive_correction = 0;
    };
    struct FilteredTicks {
        std::uint64_t calls = 0;
        std::int64_t exclusive = 0;
        double cost = 0;
    };
    struct ThreadTicks {
        std::int64_t time = 0, parallel = 0, waiting = 0, lifetime = 0;
    };
    struct RegionTicks {
        std::uint32_t path;
        std::int64_t busy, waiting;
    };
    void add_nodes(std::uint32_t row, const NodePaths::Thread& thread,
                   const std::vector<NodeTimes>& times);
    void add_parallel_regions(std::uint32_t row, const NodePaths::Thread& thread,
                              const std::vector<NodeTimes>& times);
    void add_regions_of_thread(std::vector<RegionTicks>& parts);
    std::uint32_t row_of(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times);
    std::int64_t nanoseconds(double ticks) const;
    std::int64_t nanoseconds(std::int64_t ticks) const;
    void finish_path(Path& path, const PathTicks& ticks) const;
    void finish_thread_paths();

    Profile& profile_;
    double ns_per_tick_;
    std::uint64_t end_ticks_;
    double uncertainty_;
    std::vector<PathTicks> paths_;         // by path
    std::vector<FilteredTicks> filtered_;  // by index into Profile::filtered
    std::vector<ThreadTicks> threads_;     // by index into Profile::threads
    std::vector<bool> is_group_;           // the same: only threads that have ended are in it
    std::vector<std::uint32_t> regions_;   // by path: index into Profile::parallel_regions
};

}  // namespace vftrace
