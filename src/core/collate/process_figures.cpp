#include "collate/process_figures.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "record/series.hpp"

namespace vftrace {
namespace {

std::uint32_t new_metric(Profile& profile, MetricId metric) {
    profile.metrics.push_back(described_metric(metric, 0));
    return static_cast<std::uint32_t>(profile.metrics.size() - 1);
}

void add_table(Profile& profile, const SideTable& table, double ns_per_tick) {
    if (source_of(table) == SourceId::region)
        return;  // collate/region_figures.hpp
    visit_side_rows(table, [&](const SideRow& row) {
        for (std::uint32_t i = 0; i < table.columns; i++) {
            const SideColumn& column = table.described()[i];
            const std::uint32_t metric =
                metric_index(profile, described_metric(column.metric, column.index));
            const double value = number_of(relaxed(row.values()[i]), column.value, ns_per_tick);
            if (scope_of(table) == MetricScope::rank)
                profile.rank_metrics.push_back({profile.run.rank, metric, value});
            else
                profile.host_metrics.push_back(
                    {profile.run.host, row.device ? row.device : "", metric, value});
        }
    });
}

void add_series(Profile& profile, const SeriesRecord& record, std::uint64_t start,
                double ns_per_tick, const NodePaths* paths) {
    Series series;
    series.path = record.node && paths ? (*paths)(record.node) : no_index;
    if (record.node && series.path == no_index)
        return;
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
    series.metric = record.node ? metric_index(profile, described_metric(record.metric, 0))
                                : new_metric(profile, record.metric);
    if (record.subject) {
        Metric& metric = profile.metrics[series.metric];
        metric.name += ':' + std::string(record.subject);
        metric.title = record.subject;
    }
    profile.series.push_back(std::move(series));
}

// Of amounts on the same path: series that were created beside each other have the same times.
void add_points(Series& sum, const Series& other) {
    for (std::size_t i = 0; i < std::min(sum.points.size(), other.points.size()); i++)
        if (sum.points[i].ns == other.points[i].ns)
            sum.points[i].value += other.points[i].value;
}

EarlierSection share_of(const EarlierSectionRecord& all, std::uint32_t rank, std::uint32_t ranks) {
    EarlierSection section;
    section.id = all.id;
    section.parent = all.parent;
    section.name = all.name;
    section.level = static_cast<std::uint8_t>(all.level);
    section.place = all.place;
    section.calls = share_of_rank(all.calls, rank, ranks);
    section.self_ns = share_of_rank(all.self_ns, rank, ranks);
    section.self_memory = share_of_rank(all.self_memory, rank, ranks);
    section.longest_self_ns = all.longest_self_ns;
    section.longest_total_ns = all.longest_total_ns;
    return section;
}

}  // namespace

void collect_process_figures(Profile& profile, const ProcessRecord& process, double ns_per_tick,
                             const NodePaths* paths) {
    visit_side_tables(process,
                      [&](const SideTable& table) { add_table(profile, table, ns_per_tick); });
    for (const SeriesRecord* series = __atomic_load_n(&process.series, __ATOMIC_ACQUIRE); series;
         series = series->next)
        add_series(profile, *series, process.start.ticks, ns_per_tick, paths);
    for (const EarlierSectionRecord& section : items_of(process.earlier_sections))
        profile.earlier_sections.push_back(
            share_of(section, profile.run.rank, std::max(profile.run.ranks, 1u)));
    sort_and_unite(profile.earlier_sections);
    // The lists of tables and of series begin with the newest one.
    sort_rows(profile.rank_metrics);
    sort_rows(profile.host_metrics);
    sort_rows(profile.series);
    unite(profile.series, same_key<Series>, add_points);
}

}  // namespace vftrace
