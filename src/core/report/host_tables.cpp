// Measurements of hosts and their devices.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "report/metric_columns.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_hosts = 20, most_devices = 100;

struct HostRow {
    const HostMetric* of;               // one of its values
    std::vector<const double*> values;  // by column; nullptr: none
};

std::vector<HostRow> host_rows(const Profile& profile, const std::vector<MetricColumn>& columns) {
    std::vector<HostRow> rows;
    for (const HostMetric& value : profile.host_metrics)
        for (std::size_t i = 0; i < columns.size(); i++) {
            if (columns[i].metric() != value.metric)
                continue;
            if (rows.empty() || rows.back().of->host != value.host ||
                rows.back().of->device != value.device)
                rows.push_back({&value, std::vector<const double*>(columns.size())});
            rows.back().values[i] = &value.value;
        }
    return rows;
}

// In the order of names.
void write_values(const Profile& profile, const ReportOptions& options, MetricScope scope,
                  const MetricsOfSource& source, TableOutput& out) {
    const bool of_devices = scope == MetricScope::device;
    const std::vector<HostRow> rows = host_rows(profile, source.columns);
    std::vector<Column> columns{text_column("host", "Host", Align::left)};
    if (of_devices)
        columns.push_back(text_column("device", "Device", Align::left));
    for (const MetricColumn& metric : source.columns)
        columns.push_back(metric.column());
    const std::string id = source.id + (of_devices ? "_devices" : "_hosts"),
                      title = source.title + (of_devices ? " of devices" : " of hosts");
    const std::size_t shown =
        shown_rows(rows.size(), options, of_devices ? most_devices : most_hosts);
    const TableSpec spec = {
        .id = id, .title = title, .row = of_devices ? "device" : "host", .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        cells.text(printable(rows[i].of->host));
        if (of_devices)
            cells.text(printable(rows[i].of->device));
        for (std::size_t m = 0; m < source.columns.size(); m++)
            source.columns[m].add_cell(rows[i].values[m], cells);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

constexpr MetricScope scopes[] = {MetricScope::host, MetricScope::device};

}  // namespace

bool has_host_tables(const Profile& profile) { return !profile.host_metrics.empty(); }

bool has_host_tables_of_logs(const Profile& profile) {
    return has_metrics_of_logs(profile, MetricScope::host) ||
           has_metrics_of_logs(profile, MetricScope::device);
}

void write_host_tables(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    for (const MetricScope scope : scopes)
        for (const MetricsOfSource& source : metrics_by_source(profile, scope))
            if (options.show_everything || is_in_logs(source.id))
                write_values(profile, options, scope, source, out);
}

}  // namespace vftrace
