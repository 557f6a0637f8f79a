// Turns the side tables of threads (record/side_table.hpp) into metrics of the profile's call paths
// and threads, for all sources.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"
#include "record/side_table.hpp"

namespace vftrace {

// The description of a metric in profiles; `index` distinguishes several subjects.
Metric described_metric(MetricId metric, std::uint16_t index);

// The profile's metric of that name and scope, added if it is not there yet.
std::uint32_t metric_index(Profile& profile, Metric wanted);

// Sorts Profile::metric_values as they are to be.
void sort_values_of_paths(Profile& profile);

// The table of a source, nullptr if the thread has none.
const SideTable* side_table_of(const ThreadRecord& thread, SourceId source, MetricScope scope);

// The metrics of all sources but hardware counters, whose values need more than addition
// (collate/counter_figures.hpp).
class SideFiguresSum {
  public:
    // `profile` already has its paths.
    SideFiguresSum(Profile& profile, double ns_per_tick)
        : profile_(profile), ns_per_tick_(ns_per_tick) {}

    // Adds one thread. `row`: its row in Profile::threads; no_index: it does not have one.
    void add(const NodePaths::Thread& thread, std::uint32_t row);

    // Adds metrics and values to the profile.
    void finish();

  private:
    struct Value {
        std::uint32_t row;  // a path, or a thread
        std::uint32_t column;
        double value;
    };
    std::uint32_t column_of(const SideColumn& column);
    void add_metrics(std::vector<std::uint32_t>& metric_of);

    Profile& profile_;
    double ns_per_tick_;
    std::vector<SideColumn> columns_;  // all columns, by the index in Value
    std::vector<Value> values_[tree_scopes];
};

}  // namespace vftrace
