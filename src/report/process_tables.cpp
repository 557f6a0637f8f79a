// What sources have measured of whole processes, now and over time, by rank.
#include "report/process_tables.hpp"

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

std::size_t shown_ranks(std::size_t rows, const ReportOptions& options) {
    return options.max_rows == 0 ? std::min(rows, most_ranks) : shown_rows(rows, options);
}

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
                  const MetricsOfSource& source, OutputFile& out) {
    const std::vector<MetricTableRow> rows =
        metric_table_rows(profile.rank_metrics, &RankMetric::rank, source.columns);
    std::vector<Place> order;
    for (std::size_t i = 0; i < rows.size(); i++)
        order.push_back({rows[i].first(), rows[i].of, i});
    sort_largest_first(order);
    std::vector<Column> columns{{"Rank", CellType::integer}};
    for (const MetricColumn& metric : source.columns)
        columns.push_back(metric.column());
    out.write(source.title + "\n");
    const std::size_t shown = shown_ranks(rows.size(), options);
    print_table(out, TableStyle::framed, columns, shown, [&](std::size_t i, TableRow& cells) {
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

// Points stand for equally long times.
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
                  OutputFile& out) {
    std::vector<SeriesRow> rows;
    for (const Series& series : profile.series)
        if (series.metric == metric.metric() && !series.points.empty())
            rows.push_back(row_of(series));
    std::vector<Place> order;
    for (std::size_t i = 0; i < rows.size(); i++)
        order.push_back(
            {std::isfinite(rows[i].largest) ? rows[i].largest : 0.0, rows[i].series->rank, i});
    sort_largest_first(order);
    const auto header = [&](const char* text) { return text + metric.unit(); };
    const std::string headers[] = {header("Smallest"), header("Mean"), header("Largest"),
                                   header("Last")};
    std::vector<Column> columns(7, metric.column());
    columns[0] = {"Rank", CellType::integer};
    columns[1] = {"Points", CellType::integer};
    columns[2].header = headers[0];
    columns[3].header = headers[1];
    columns[4].header = headers[2];
    columns[5] = {"at[s]", CellType::fixed, 3};
    columns[6].header = headers[3];
    out.write(metric.title() + " over time\n");
    const std::size_t shown = shown_ranks(rows.size(), options);
    print_table(out, TableStyle::framed, columns, shown, [&](std::size_t i, TableRow& cells) {
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

void write_process_tables(const Profile& profile, const ReportOptions& options, OutputFile& out) {
    for (const MetricsOfSource& source : metrics_by_source(profile, MetricScope::rank))
        write_values(profile, options, source, out);
    for (const MetricColumn& metric : metric_columns(profile, MetricScope::series))
        write_series(profile, options, metric, out);
}

}  // namespace vftrace
