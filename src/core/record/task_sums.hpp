// Figures of all tasks of a type, computed from the metrics of the source `task`, in the running
// program and in profiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "record/duration_bins.hpp"
#include "record/reduction.hpp"

namespace vftrace {

struct TaskSums {
    std::uint64_t created = 0, completed = 0, failed = 0, cancelled = 0, stillborn = 0, pauses = 0;
    double paused_ns = 0, wall_ns = 0;          // from pause to next run; from creation to end
    double longest_ns = 0, longest_run_ns = 0;  // own time of one task, and of one run of a task
    double longest_ready_ns = 0;                // from being ready to the run
    DurationCounts runs, ready;
    std::uint64_t ended() const { return completed + failed + cancelled; }
    std::uint64_t alive() const { return created - std::min(created, ended()); }
};

// A metric, and where its values go.
struct CountOfTasks {
    MetricId metric;
    std::uint64_t TaskSums::*count;
};
inline constexpr CountOfTasks task_counts[] = {{MetricId::task_created, &TaskSums::created},
                                               {MetricId::task_completed, &TaskSums::completed},
                                               {MetricId::task_failed, &TaskSums::failed},
                                               {MetricId::task_cancelled, &TaskSums::cancelled},
                                               {MetricId::task_stillborn, &TaskSums::stillborn},
                                               {MetricId::task_pauses, &TaskSums::pauses}};
struct TimeOfTasks {
    MetricId metric;
    double TaskSums::*ns;
};
inline constexpr TimeOfTasks task_times[] = {
    {MetricId::task_paused, &TaskSums::paused_ns},
    {MetricId::task_wall, &TaskSums::wall_ns},
    {MetricId::task_longest, &TaskSums::longest_ns},
    {MetricId::task_longest_run, &TaskSums::longest_run_ns},
    {MetricId::task_longest_ready, &TaskSums::longest_ready_ns}};
struct BinsOfTasks {
    MetricId metric;
    DurationCounts TaskSums::*counts;
};
inline constexpr BinsOfTasks task_bins[] = {{MetricId::task_runs, &TaskSums::runs},
                                            {MetricId::task_ready, &TaskSums::ready}};

// Adds a value of the metric for which is_it(MetricId, index) is true; ignores other metrics.
template <class IsIt>
void add_value(TaskSums& sums, double value, IsIt is_it) {
    if (!std::isfinite(value))
        return;
    for (const BinsOfTasks& each : task_bins)
        for (unsigned bin = 1; value > 0 && bin <= duration_bins; bin++)
            if (is_it(each.metric, bin))
                (sums.*each.counts).in_bin[bin - 1] += static_cast<std::uint64_t>(value);
    for (const CountOfTasks& each : task_counts)
        if (is_it(each.metric, 0u))
            sums.*each.count += static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)));
    for (const TimeOfTasks& each : task_times)
        if (is_it(each.metric, 0u))
            sums.*each.ns = together(sums.*each.ns, value, row_of(each.metric).reduction);
}

}  // namespace vftrace
