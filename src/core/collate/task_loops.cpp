#include "collate/task_loops.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/task_times.hpp"

namespace vftrace {

TaskLoopsSum::TaskLoopsSum(Profile& profile, double ns_per_tick)
    : profile_(profile), ns_per_tick_(ns_per_tick), in_task_(paths_in_tasks(profile)),
      has_tasks_(std::find(in_task_.begin(), in_task_.end(), true) != in_task_.end()) {}

void TaskLoopsSum::add_longest_run(const NodePaths::Thread& thread, Loop& loop) const {
    const SideTable* table = side_table_of(*thread.record, SourceId::task, MetricScope::path);
    if (!table)
        return;
    std::uint32_t column = 0;
    while (column < table->columns &&
           table->described()[column].metric != MetricId::task_longest_run)
        column++;
    if (column == table->columns)
        return;
    visit_side_rows(*table, [&](const SideRow& figures) {
        const auto ticks = static_cast<std::int64_t>(relaxed(figures.values()[column]));
        if (ticks <= loop.longest_run || !figures.node ||
            figures.node->number >= thread.path_of.size())
            return;
        loop.longest_run = ticks;
        loop.longest_task = thread.path_of[figures.node->number];
    });
}

// -1: not known, because the program was killed, or still runs.
std::int64_t TaskLoopsSum::outside_ns(const ThreadRecord& record) const {
    const auto all = static_cast<std::int64_t>(relaxed(record.processor_ns));
    if (all == 0 || relaxed(record.processor_before_ns) != 0)
        return -1;
    const auto ticks = static_cast<std::int64_t>(relaxed(record.task_ticks));  // may be negative
    const double inside = static_cast<double>(relaxed(record.task_processor_ns)) +
                          static_cast<double>(ticks) * ns_per_tick_;
    return std::clamp<std::int64_t>(all - static_cast<std::int64_t>(inside), 0, all);
}

void TaskLoopsSum::add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times,
                       std::uint32_t row) {
    if (!has_tasks_ || row == no_index)
        return;
    Loop own{row};
    std::vector<bool> in_run(times.size(), false);
    bool has_run = false;
    for (std::uint32_t i = 1; i < times.size(); i++) {
        in_run[i] = in_run[times[i].parent];
        if (in_run[i] || times[i].node->kind != NodeKind::graft || !in_task_[thread.path_of[i]])
            continue;
        if (!has_run)
            own.longest_task = thread.path_of[i];  // if no run has any duration
        in_run[i] = has_run = true;
        add_saturating(own.busy, times[i].active);
    }
    if (!has_run)
        return;
    own.outside_ns = outside_ns(*thread.record);
    add_longest_run(thread, own);
    const auto known = std::find_if(loops_.begin(), loops_.end(),
                                    [&](const Loop& loop) { return loop.row == row; });
    if (known == loops_.end()) {
        loops_.push_back(own);
        return;
    }
    add_saturating(known->busy, own.busy);
    if (known->outside_ns < 0 || own.outside_ns < 0)
        known->outside_ns = -1;
    else
        add_saturating(known->outside_ns, own.outside_ns);
    if (own.longest_run > known->longest_run) {
        known->longest_run = own.longest_run;
        known->longest_task = own.longest_task;
    }
}

void TaskLoopsSum::finish() {
    for (const Loop& loop : loops_) {
        const ThreadFigures& thread = profile_.threads[loop.row];
        TaskLoop figures;
        figures.rank = thread.rank;
        figures.number = thread.number;
        figures.longest_task = loop.longest_task;
        figures.threads = thread.threads;
        figures.busy_ns = saturated_ns(static_cast<double>(loop.busy), ns_per_tick_);
        figures.longest_run_ns = saturated_ns(static_cast<double>(loop.longest_run), ns_per_tick_);
        figures.lifetime_ns = thread.lifetime_ns;
        // A clock that began earlier, or a task that did not have a processor all the time.
        if (loop.outside_ns >= 0)
            figures.outside_ns = std::min(
                loop.outside_ns, std::max<std::int64_t>(figures.lifetime_ns - figures.busy_ns, 0));
        profile_.task_loops.push_back(figures);
    }
}

}  // namespace vftrace
