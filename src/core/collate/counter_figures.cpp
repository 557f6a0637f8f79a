#include "collate/counter_figures.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "profile/counter_metrics.hpp"

namespace vftrace {
namespace {

// By node: what was read in a thread; nullptr for nodes without readings.
std::vector<const CounterSums*> readings_by_node(const SideTable& table,
                                                 const std::vector<NodeTimes>& times) {
    std::vector<const CounterSums*> readings(times.size(), nullptr);
    visit_side_rows(table, [&](const SideRow& row) {
        if (row.node && row.node->number < times.size() && times[row.node->number].node == row.node)
            readings[row.node->number] = reinterpret_cast<const CounterSums*>(row.values());
    });
    return readings;
}

void add(CounterSums& sum, const CounterSums& value) {
    sum.inclusive += relaxed(value.inclusive);
    sum.exclusive += relaxed(value.exclusive);
}

double as_number(std::uint64_t sum) { return static_cast<double>(static_cast<std::int64_t>(sum)); }

}  // namespace

void set_counter_information(RunInfo& run, const Options& options) {
    if (!options.hwprof_active ||
        (options.hwprof_counters.empty() && options.hwprof_observables.empty()))
        return;
    run.counter_source = options.hwprof_type;
    for (const HardwareCounter& counter : options.hwprof_counters)
        run.counters.push_back({counter.hwc_name, counter.symbol});
    for (const Observable& observable : options.hwprof_observables)
        run.observables.push_back({observable.name, observable.formula, observable.unit});
}

CounterFiguresSum::CounterFiguresSum(Profile& profile, double ns_per_tick)
    : profile_(profile), ns_per_tick_(ns_per_tick) {
    if (!profile.run.counters.empty())
        index_.assign(profile.paths.size(), no_index);
}

CounterFiguresSum::PathSums& CounterFiguresSum::sums_of(std::uint32_t path) {
    if (index_[path] == no_index) {
        index_[path] = static_cast<std::uint32_t>(sums_.size());
        sums_.push_back({path, 0, std::vector<CounterSums>(profile_.run.counters.size())});
    }
    return sums_[index_[path]];
}

void CounterFiguresSum::add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times) {
    const SideTable* table = side_table_of(*thread.record, SourceId::hwprof, MetricScope::path);
    const std::size_t counters = profile_.run.counters.size();
    if (!table || counters == 0 || table->columns != 2 * counters)
        return;
    scaled_threads_ += (table->notes & counters_scaled) != 0;
    gappy_threads_ += (table->notes & counters_with_gaps) != 0;
    const std::vector<const CounterSums*> readings = readings_by_node(*table, times);
    // By node: the nearest one, from itself upwards, that has readings; 0 if there is none.
    std::vector<std::uint32_t> reader(times.size(), 0);
    for (std::uint32_t i = 1; i < times.size(); i++) {
        reader[i] = readings[i] ? i : reader[times[i].parent];
        if (reader[i] == 0 || is_bookkeeping(*times[i].node) || times[i].is_paused())
            continue;
        PathSums& sums = sums_of(thread.path_of[reader[i]]);
        // As for the path's own time: readings taken while the thread runs may be negative.
        add_saturating(sums.ticks, std::max<std::int64_t>(times[i].exclusive, 0));
        for (std::size_t counter = 0; readings[i] && counter < counters; counter++)
            vftrace::add(sums.counters[counter], readings[i][counter]);
    }
}

void CounterFiguresSum::finish() {
    if (profile_.run.counters.empty())
        return;
    const auto first = static_cast<std::uint32_t>(profile_.metrics.size());
    for (const CounterName& counter : profile_.run.counters) {
        Metric metric{.name = exclusive_metric(counter)};
        profile_.metrics.push_back(metric);
        metric.name = inclusive_metric(counter);
        metric.part = MetricPart::inclusive;
        profile_.metrics.push_back(metric);
    }
    profile_.metrics.push_back({.name = counted_time, .unit = "ns"});
    find_metrics_of_counters(profile_);
    std::sort(sums_.begin(), sums_.end(),
              [](const PathSums& a, const PathSums& b) { return a.path < b.path; });
    for (const PathSums& sums : sums_) {
        std::uint32_t metric = first;
        for (const CounterSums& counter : sums.counters) {
            profile_.metric_values.push_back({sums.path, metric++, as_number(counter.exclusive)});
            profile_.metric_values.push_back({sums.path, metric++, as_number(counter.inclusive)});
        }
        profile_.metric_values.push_back(
            {sums.path, metric, static_cast<double>(sums.ticks) * ns_per_tick_});
    }
    note_count(profile_.run.notices, NoticeCode::counters_scaled, scaled_threads_);
    note_count(profile_.run.notices, NoticeCode::counters_too_small, gappy_threads_);
}

}  // namespace vftrace
