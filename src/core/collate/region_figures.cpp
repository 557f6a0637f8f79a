#include "collate/region_figures.hpp"

#include <algorithm>
#include <string>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "record/region_id.hpp"
#include "record/region_rows.hpp"
#include "record/side_table.hpp"

namespace vftrace {
namespace {

const SideTable* own_figures(const ProcessRecord& process) {
    const SideTable* found = nullptr;
    visit_side_tables(process, [&](const SideTable& table) {
        if (source_of(table) == SourceId::region && scope_of(table) == MetricScope::rank &&
            table.first)
            found = &table;
    });
    return found;
}

double own_figure(const SideTable& table, MetricId metric, double ns_per_tick) {
    for (std::uint32_t i = 0; i < table.columns; i++)
        if (table.described()[i].metric == metric)
            return number_of(relaxed(table.first->values()[i]), table.described()[i].value,
                             ns_per_tick);
    return 0;
}

std::uint64_t natural(double value) {
    constexpr double most = 9e18;
    return value > 0 ? static_cast<std::uint64_t>(std::min(value, most)) : 0;
}

// The metric of a signal that was requested by name.
Metric metric_of_signal(MetricId id, std::string_view signal) {
    Metric metric = described_metric(id, 0);
    metric.name = "region." + std::string(signal);
    metric.title = signal;
    return metric;
}

}  // namespace

RegionFiguresSum::RegionFiguresSum(Profile& profile, const ProcessRecord& process,
                                   double ns_per_tick)
    : profile_(profile), process_(process), ns_per_tick_(ns_per_tick), own_(own_figures(process)) {}

void RegionFiguresSum::add(const NodePaths::Thread& thread, const std::vector<NodeTimes>& times) {
    if (!own_ || relaxed(thread.record->is_worker) != 0)
        return;
    std::vector<bool> in_region(times.size(), false);
    for (std::uint32_t i = 1; i < times.size(); i++) {
        const Node& node = *times[i].node;
        in_region[i] = in_region[times[i].parent];
        if (in_region[i] || !is_region(node) || i >= thread.path_of.size())
            continue;
        in_region[i] = true;
        const std::uint32_t function = profile_.paths[thread.path_of[i]].function;
        const auto next = static_cast<std::uint32_t>(sums_.size());
        const std::uint32_t place = by_function_.find_or_add(
            function, next, [&](std::uint32_t at) { return sums_[at].function == function; });
        if (place == next)
            sums_.push_back({function, region_id(node, process_.modules)});
        Sum& sum = sums_[place];
        sum.ticks += static_cast<double>(times[i].active);
        sum.entries += static_cast<double>(relaxed(node.calls));
        if (sum.last_thread != thread.record) {
            sum.last_thread = thread.record;
            sum.threads++;
        }
    }
}

void RegionFiguresSum::add_row(RegionPart part, const RegionFigures& figures) {
    RegionFigures row = figures;
    row.part = part;
    row.host = profile_.run.host;
    row.machine = natural(own_figure(*own_, MetricId::region_machine, ns_per_tick_));
    row.processes = 1;
    profile_.regions.push_back(std::move(row));
}

void RegionFiguresSum::add_sampled(const SideTable& table) {
    const auto machine = natural(own_figure(*own_, MetricId::region_machine, ns_per_tick_));
    std::vector<std::uint32_t> metric_of_column(table.columns, no_index);
    visit_side_rows(table, [&](const SideRow& row) {
        const RegionRow of = read_region_row(row.device ? row.device : "");
        if (!of.is_sound)
            return;
        for (std::uint32_t i = 0; i < table.columns; i++) {
            const SideColumn& column = table.described()[i];
            RegionMetric value;
            value.host = profile_.run.host;
            value.machine = machine;
            value.part = of.part;
            value.id = of.region;
            if (!of.signal.empty()) {
                value.metric = metric_index(profile_, metric_of_signal(column.metric, of.signal));
            } else {
                if (metric_of_column[i] == no_index)
                    metric_of_column[i] =
                        metric_index(profile_, described_metric(column.metric, 0));
                value.metric = metric_of_column[i];
            }
            value.value = number_of(relaxed(row.values()[i]), column.value, ns_per_tick_);
            profile_.region_metrics.push_back(std::move(value));
        }
    });
}

void RegionFiguresSum::add_regions() {
    for (const Sum& sum : sums_) {
        RegionFigures figures;
        figures.function = sum.function;
        figures.id = sum.id;
        figures.runtime_ns = saturated_ns(sum.ticks / sum.threads, ns_per_tick_);
        figures.entries = sum.entries / sum.threads;
        add_row(RegionPart::region, figures);
    }
}

void RegionFiguresSum::finish() {
    if (!own_)
        return;
    RegionFigures all;
    all.runtime_ns = profile_.run.runtime_ns;
    all.overhead_ns = profile_.run.overhead_ns();
    all.peak_bytes = natural(own_figure(*own_, MetricId::region_peak, ns_per_tick_));
    add_row(RegionPart::application, all);
    if (const double epochs = own_figure(*own_, MetricId::region_epochs, ns_per_tick_);
        epochs > 0) {
        RegionFigures of_epochs;
        const auto before = static_cast<std::int64_t>(
            own_figure(*own_, MetricId::region_before_epochs, ns_per_tick_));
        of_epochs.runtime_ns = std::max<std::int64_t>(all.runtime_ns - before, 0);
        of_epochs.entries = epochs;
        add_row(RegionPart::epoch, of_epochs);
    }
    visit_side_tables(process_, [&](const SideTable& table) {
        if (scope_of(table) == MetricScope::region)
            add_sampled(table);
    });
    sort_rows(profile_.regions);
    sort_rows(profile_.region_metrics);
}

}  // namespace vftrace
