// The figures of all types of tasks, for queries while the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <vftrace/tasks.h>

#include "base/guarded.hpp"
#include "base/index_table.hpp"
#include "record/side_table.hpp"
#include "record/task_sums.hpp"
#include "sections/live_index.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

// All tasks of one type, on all threads. The cost of measuring is in the times. None ever becomes
// less. Unfinished runs count for `own_ns` and `with_children_ns`.
struct LiveTaskRank : TaskSums {
    const char* name = nullptr;               // "session (server.cpp:12)", in the tree's memory
    double own_ns = 0, with_children_ns = 0;  // without tasks that they created, and with them
};

// The parts of the name of a type.
struct TaskTypeName {
    std::string_view type, file;  // no file: empty
    std::string_view line;
};
TaskTypeName parts_of(std::string_view name);

class LiveTaskRanks {
  public:
    // Takes in what the threads have done until `now`, in ticks.
    void look(std::uint64_t now);

    // All types, in the order in which they were seen first: it is kept.
    const std::vector<LiveTaskRank>& all() const { return ranks_; }

    // The one of this name; nullptr: there is none.
    const LiveTaskRank* find(const char* name) const;

    // All, those with most of a time first.
    std::vector<const LiveTaskRank*> sorted_by(double LiveTaskRank::*ns) const;

  private:
    bool has_name(std::uint32_t rank, const char* name) const;
    std::uint32_t rank_of(const char* name);
    void raise(std::uint32_t rank, double LiveTaskRank::*time, double ticks, double ns_per_tick);
    void add_figures(const SideTable& table, std::vector<TaskSums>& sums);

    LiveIndex index_{NodeKind::task};
    std::vector<LiveTaskRank> ranks_;
    std::vector<LiveTaskRank> ticks_;  // the same, times in ticks
    IndexTable by_name_;
};

// For ask_tasks(): the figures under their lock, nullptr before the first question; nullptr if
// nothing is recorded, which `at_end` is so. And the end of that; an answer that was not complete
// has torn them.
LiveTaskRanks** begin_task_question(bool at_end);
void end_task_question(bool answered);

// Calls work(ranks, now) with what is known now, in ticks, where memory may run out; others wait
// meanwhile. `at_end`: the run is over. Returns an enum vftrace_task_error.
template <class Work>
int ask_tasks(Work work, bool at_end = false) {
    LiveTaskRanks** ranks = begin_task_question(at_end);
    if (!ranks)
        return VFTRACE_TASK_NO_FIGURES;
    const bool answered = run_guarded([&] {
        if (!*ranks)
            *ranks = new LiveTaskRanks;
        const std::uint64_t now = tree_ticks();
        (*ranks)->look(now);
        work(**ranks, now);
    });
    end_task_question(answered);
    return answered ? VFTRACE_TASK_OK : VFTRACE_TASK_NO_MEMORY;
}

// In a child of fork: what is known is about its parent.
void forget_live_task_ranks();

}  // namespace vftrace
