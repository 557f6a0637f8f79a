// The metrics of call paths that sources without their own tables have measured: one table per
// source. Those of threads are columns of the table of threads.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "report/metric_columns.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

void write_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                 const MetricsOfSource& source, TableOutput& out) {
    const std::vector<MetricColumn>& metrics = source.columns;
    std::vector<MetricTableRow> rows =
        metric_table_rows(profile.metric_values, &MetricValue::path, metrics);
    const auto stid = [&](const MetricTableRow& row) { return profile.paths[row.of].stid; };
    std::sort(rows.begin(), rows.end(), [&](const MetricTableRow& a, const MetricTableRow& b) {
        return row_before(a.first(), b.first(), stid(a), stid(b), false);
    });
    std::vector<Column> columns{count_column("calls", "Calls")};
    for (const MetricColumn& metric : metrics)
        columns.push_back(metric.column());
    columns.insert(columns.end(), {function_column, caller_column, stid_column});
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {.id = source.id,
                            .title = source.title,
                            .row = "path",
                            .columns = columns,
                            .sorted_by = metrics[0].column().id};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const MetricTableRow& row = rows[i];
        cells.integer(profile.paths[row.of].calls);
        for (std::size_t m = 0; m < metrics.size(); m++)
            metrics[m].add_cell(row.values[m], cells);
        cells.text(text.function(row.of));
        cells.text(text.caller(row.of));
        cells.integer(profile.paths[row.of].stid);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

bool has_metric_tables(const Profile& profile) {
    return !metric_columns(profile, MetricScope::path).empty();
}

void write_metric_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out) {
    for (const MetricsOfSource& source : metrics_by_source(profile, MetricScope::path))
        write_table(profile, text, options, source, out);
}

}  // namespace vftrace
