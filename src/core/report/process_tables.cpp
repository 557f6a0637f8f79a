// Measurements of whole processes, single values and series, by rank.
#include "report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "report/metric_columns.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_ranks = 20;
constexpr Column rank_column = count_column("rank", "Rank");

// Where a row of a table comes from, and what the table is sorted by.
struct Place {
    double value;
    std::uint32_t rank;
    std::size_t row;
};

void sort_largest_first(std::vector<Place>& places) {
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(b.value, a.rank) < std::tie(a.value, b.rank);
    });
}

void write_values(const Profile& profile, const ReportOptions& options,
                  const MetricsOfSource& source, TableOutput& out) {
    const std::vector<MetricTableRow> rows =
        metric_table_rows(profile.rank_metrics, &RankMetric::rank, source.columns);
    std::vector<Place> order;
    for (std::size_t i = 0; i < rows.size(); i++)
        order.push_back({rows[i].first(), rows[i].of, i});
    sort_largest_first(order);
    std::vector<Column> columns{rank_column};
    for (const MetricColumn& metric : source.columns)
        columns.push_back(metric.column());
    const std::string id = source.id + "_ranks";  // in addition to a table of paths
    const std::size_t shown = shown_rows(rows.size(), options, most_ranks);
    const TableSpec spec = {.id = id,
                            .title = source.title,
                            .row = "rank",
                            .columns = columns,
                            .sorted_by = source.columns[0].column().id};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const MetricTableRow& row = rows[order[i].row];
        cells.integer(row.of);
        for (std::size_t m = 0; m < row.values.size(); m++)
            source.columns[m].add_cell(row.values[m], cells);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

struct SeriesRow {
    const Series* series;
    double smallest, mean, largest, last;
    std::int64_t largest_ns;
};

// Points represent equally long times.
SeriesRow row_of(const Series& series) {
    const Series::Point& first = series.points.front();
    SeriesRow row{&series, first.value, 0, first.value, series.points.back().value, first.ns};
    double sum = 0;
    for (const Series::Point& point : series.points) {
        sum += point.value;
        row.smallest = std::min(row.smallest, point.value);
        if (point.value > row.largest)
            std::tie(row.largest, row.largest_ns) = std::tie(point.value, point.ns);
    }
    row.mean = mean(sum, series.points.size());
    return row;
}

void write_series(const Profile& profile, const ReportOptions& options, const MetricColumn& metric,
                  TableOutput& out) {
    std::vector<SeriesRow> rows;
    for (const Series& series : profile.series)
        if (series.metric == metric.metric() && series.path == no_index && !series.points.empty())
            rows.push_back(row_of(series));
    if (rows.empty())  // of call paths
        return;
    std::vector<Place> order;
    for (std::size_t i = 0; i < rows.size(); i++)
        order.push_back(
            {std::isfinite(rows[i].largest) ? rows[i].largest : 0.0, rows[i].series->rank, i});
    sort_largest_first(order);
    const std::string headers[] = {metric.with_unit("Smallest"), metric.with_unit("Mean"),
                                   metric.with_unit("Largest"), metric.with_unit("Last")};
    const Column columns[] = {rank_column,
                              count_column("points", "Points"),
                              metric.column("smallest", headers[0]),
                              metric.column("mean", headers[1]),
                              metric.column("largest", headers[2]),
                              time_column("time_of_largest", "at[s]"),
                              metric.column("last", headers[3])};
    const std::string id = std::string(metric.column().id) + "_series",
                      title = metric.title() + " over time";
    const std::size_t shown = shown_rows(rows.size(), options, most_ranks);
    const TableSpec spec = {
        .id = id, .title = title, .row = "rank", .columns = columns, .sorted_by = "largest"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const SeriesRow& row = rows[order[i].row];
        cells.integer(row.series->rank);
        cells.integer(row.series->points.size());
        cells.number(metric.shown(row.smallest));
        cells.number(metric.shown(row.mean));
        cells.number(metric.shown(row.largest));
        cells.number(seconds(row.largest_ns));
        cells.number(metric.shown(row.last));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

bool has_process_tables(const Profile& profile) {
    return !metric_columns(profile, MetricScope::rank).empty() ||
           !metric_columns(profile, MetricScope::series).empty();
}

bool has_process_tables_of_logs(const Profile& profile) {
    return has_metrics_of_logs(profile, MetricScope::rank) ||
           has_metrics_of_logs(profile, MetricScope::series);
}

void write_process_tables(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    for (const MetricsOfSource& source : metrics_by_source(profile, MetricScope::rank))
        if (options.show_everything || is_in_logs(source.id))
            write_values(profile, options, source, out);
    for (const MetricColumn& metric : metric_columns(profile, MetricScope::series))
        if (options.show_everything || is_in_logs(source_name(profile.metrics[metric.metric()])))
            write_series(profile, options, metric, out);
}

}  // namespace vftrace
