// Figures of the process as a whole, now and over time, become those of the profile's rank.
#include "collate/process_figures.hpp"

#include <string>
#include <utility>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "record/series.hpp"

namespace vftrace {
namespace {

std::uint32_t metric_index(Profile& profile, MetricId metric, std::uint16_t index) {
    profile.metrics.push_back(described_metric(metric, index));
    return static_cast<std::uint32_t>(profile.metrics.size() - 1);
}

void add_table(Profile& profile, const SideTable& table, double ns_per_tick) {
    visit_side_rows(table, [&](const SideRow& row) {
        for (std::uint32_t i = 0; i < table.columns; i++) {
            const SideColumn& column = table.described()[i];
            profile.rank_metrics.push_back(
                {profile.run.rank, metric_index(profile, column.metric, column.index),
                 number_of(relaxed(row.values()[i]), column.value, ns_per_tick)});
        }
    });
}

void add_series(Profile& profile, const SeriesRecord& record, std::uint64_t start,
                double ns_per_tick) {
    Series series;
    series.rank = profile.run.rank;
    series.missed = relaxed(record.missed);
    visit_points(record, [&](const SeriesPoint& point) {
        series.points.push_back(
            {saturated_ns(static_cast<double>(static_cast<std::int64_t>(point.ticks - start)),
                          ns_per_tick),
             point.value});
    });
    if (series.points.empty())
        return;
    series.metric = metric_index(profile, record.metric, 0);
    if (record.subject) {
        Metric& metric = profile.metrics[series.metric];
        metric.name += ':' + std::string(record.subject);
        metric.title = record.subject;
    }
    profile.series.push_back(std::move(series));
}

}  // namespace

void collect_process_figures(Profile& profile, const ProcessRecord& process, double ns_per_tick) {
    visit_side_tables(process,
                      [&](const SideTable& table) { add_table(profile, table, ns_per_tick); });
    for (const SeriesRecord* series = __atomic_load_n(&process.series, __ATOMIC_ACQUIRE); series;
         series = series->next)
        add_series(profile, *series, process.start.ticks, ns_per_tick);
    // Both begin with what was made last.
    sort_rows(profile.rank_metrics);
    sort_rows(profile.series);
}

}  // namespace vftrace
