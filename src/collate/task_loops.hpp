// Threads that run asynchronous tasks: how busy the tasks keep them, and which task ran longest.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"
#include "collate/tree_times.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class TaskLoopsSum {
  public:
    // `profile` has its paths already.
    TaskLoopsSum(Profile& profile, double ns_per_tick);

    // Adds a thread, whose row in Profile::threads this is; no_index if it has none.
    void add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times,
             std::uint32_t row);

    // Brings the figures into the profile, whose threads have theirs already.
    void finish();

  private:
    struct Loop {
        std::uint32_t row;
        std::uint32_t longest_task = no_index;   // path
        std::int64_t busy = 0, longest_run = 0;  // ticks
    };
    void add_longest_run(const NodePaths::Thread& thread, Loop& loop) const;

    Profile& profile_;
    const double ns_per_tick_;
    std::vector<bool> in_task_;  // by path
    bool has_tasks_;
    std::vector<Loop> loops_;
};

}  // namespace vftrace
