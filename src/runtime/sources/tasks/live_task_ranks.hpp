// The figures of all types of tasks, for queries while the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <vftrace/tasks.h>

#include "base/guarded.hpp"
#include "base/index_table.hpp"
#include "queries/live_index.hpp"
#include "record/side_table.hpp"
#include "record/task_sums.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

// All tasks of one type, on all threads. The times include the overhead. No figure ever decreases.
// Unfinished runs count in `own_ns` and `with_children_ns`.
struct LiveTaskRank : TaskSums {
    const char* name = nullptr;               // "session (server.cpp:12)", in the tree's memory
    double own_ns = 0, with_children_ns = 0;  // without tasks that they created, and with them
};

// The parts of the name of a type.
struct TaskTypeName {
    std::string_view type, file;  // empty without a file
    std::string_view line;
};
TaskTypeName parts_of(std::string_view name);

class LiveTaskRanks {
  public:
    // Reads what the threads have recorded until `now`, in ticks.
    void look(std::uint64_t now);

    // All types, in the order in which they were first seen, which does not change.
    const std::vector<LiveTaskRank>& all() const { return ranks_; }

    // The type with this name; nullptr: there is none.
    const LiveTaskRank* find(const char* name) const;

    // All types, in descending order of this time.
    std::vector<const LiveTaskRank*> sorted_by(double LiveTaskRank::*ns) const;

  private:
    bool has_name(std::uint32_t rank, const char* name) const;
    std::uint32_t rank_of(const char* name);
    void raise(std::uint32_t rank, double LiveTaskRank::*time, double ticks, double ns_per_tick);
    void add_figures(const SideTable& table, std::vector<TaskSums>& sums);

    LiveIndex index_{NodeKind::task};
    std::vector<LiveTaskRank> ranks_;
    std::vector<LiveTaskRank> ticks_;  // the same, with times in ticks
    IndexTable by_name_;
};

// For ask_tasks(): begin_task_question() locks the figures and returns the pointer to them, which
// is nullptr before the first query; it returns nullptr if nothing is recorded, unless `at_end`,
// when this is always the case. end_task_question() unlocks them; if the query was not answered
// completely, they are damaged and are dropped.
LiveTaskRanks** begin_task_question(bool at_end);
void end_task_question(bool answered);

// Calls work(ranks, now) with the current figures and time, in ticks; memory may run out in it, and
// other queries wait meanwhile. `at_end`: the run is over. Returns an enum vftrace_task_error.
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

// In a child of fork, because the figures are those of its parent.
void forget_live_task_ranks();

}  // namespace vftrace
