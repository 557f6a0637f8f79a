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
    // `profile` already has its paths.
    TaskLoopsSum(Profile& profile, double ns_per_tick);

    // Adds a thread. `row`: its row in Profile::threads; no_index if it does not have one.
    void add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times,
             std::uint32_t row);

    // Adds the figures to the profile, whose threads already have theirs.
    void finish();

  private:
    struct Loop {
        std::uint32_t row;
        std::uint32_t longest_task = no_index;   // path
        std::int64_t busy = 0, longest_run = 0;  // ticks
        std::int64_t outside_ns = -1;            // processor time
    };
    std::int64_t outside_ns(const ThreadRecord& record) const;
    void add_longest_run(const NodePaths::Thread& thread, Loop& loop) const;

    Profile& profile_;
    const double ns_per_tick_;
    std::vector<bool> in_task_;  // by path
    bool has_tasks_;
    std::vector<Loop> loops_;
};

}  // namespace vftrace
