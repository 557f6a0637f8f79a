// The metrics of call paths that sources without tables of their own have measured.
#include "report/metric_tables.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/metric_columns.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

struct Row {
    std::uint32_t path;
    std::vector<const double*> values;  // by column; nullptr: none
};

std::vector<Row> rows_of(const Profile& profile, const std::vector<MetricColumn>& columns) {
    std::vector<Row> rows;
    for (const MetricValue& value : profile.metric_values) {
        const auto column =
            std::find_if(columns.begin(), columns.end(),
                         [&](const MetricColumn& one) { return one.metric() == value.metric; });
        if (column == columns.end())
            continue;
        if (rows.empty() || rows.back().path != value.path)
            rows.push_back({value.path, std::vector<const double*>(columns.size())});
        rows.back().values[static_cast<std::size_t>(column - columns.begin())] = &value.value;
    }
    const auto first = [](const Row& row) {
        return row.values[0] && std::isfinite(*row.values[0]) ? *row.values[0] : 0.0;
    };
    std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        return row_before(first(a), first(b), profile.paths[a.path].stid,
                          profile.paths[b.path].stid, false);
    });
    return rows;
}

void write_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                 const std::string& title, const std::vector<MetricColumn>& metrics,
                 OutputFile& out) {
    const std::vector<Row> rows = rows_of(profile, metrics);
    std::vector<Column> columns{{"Calls", CellType::integer}};
    for (const MetricColumn& metric : metrics)
        columns.push_back(metric.column());
    columns.insert(columns.end(), {{"Function"}, {"Caller"}, {"STID", CellType::integer}});
    out.write(title + "\n");
    const std::size_t shown = shown_rows(rows.size(), options);
    print_table(out, TableStyle::framed, columns, shown, [&](std::size_t i, TableRow& cells) {
        const Row& row = rows[i];
        cells.integer(profile.paths[row.path].calls);
        for (std::size_t m = 0; m < metrics.size(); m++)
            metrics[m].add_cell(row.values[m], cells);
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.integer(profile.paths[row.path].stid);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

bool has_metric_tables(const Profile& profile) {
    return !metric_columns(profile, MetricScope::path).empty();
}

void write_metric_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         OutputFile& out) {
    for (const MetricsOfSource& source : metrics_by_source(profile, MetricScope::path))
        write_table(profile, text, options, source.title, source.columns, out);
}

}  // namespace vftrace
