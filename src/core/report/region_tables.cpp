// The report of regions as a table: how long all threads of a host were in each region, and the
// energy used.
#include "report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "report/region_report.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

double sync_runtime(const RegionReportRow& row) { return row.sync_runtime_s; }
double package_energy(const RegionReportRow& row) { return row.package_energy_J; }
double dram_energy(const RegionReportRow& row) { return row.dram_energy_J; }
double gpu_energy(const RegionReportRow& row) { return row.gpu_energy_J; }
double power(const RegionReportRow& row) { return row.power_W(); }
double gpu_power(const RegionReportRow& row) { return row.gpu_power_W(); }
double frequency(const RegionReportRow& row) { return row.frequency_Hz() / 1e9; }
double network(const RegionReportRow& row) {
    return row.hint_s[static_cast<std::size_t>(RegionHint::network)];
}

// Columns that are shown if any row has such a figure.
struct SampledColumn {
    Column column;
    double (*value)(const RegionReportRow&);
};
constexpr SampledColumn sampled_columns[] = {
    {time_column("sync_runtime", "Sync runtime[s]"), sync_runtime},
    {time_column("network", "Network[s]"), network},
    {number_column("package_energy", "Package energy[J]", "J", 3), package_energy},
    {number_column("power", "Power[W]", "W", 1), power},
    {number_column("dram_energy", "DRAM energy[J]", "J", 3), dram_energy},
    {number_column("frequency", "Frequency[GHz]", "GHz", 3), frequency},
    {number_column("gpu_energy", "GPU energy[J]", "J", 3), gpu_energy},
    {number_column("gpu_power", "GPU power[W]", "W", 1), gpu_power}};

struct Line {
    const RegionReportHost* host;
    const RegionReportRow* row;
    const char* total;  // nullptr: a region
};

std::vector<Line> lines_of(const std::vector<RegionReportHost>& hosts) {
    std::vector<Line> lines;
    for (const RegionReportHost& host : hosts) {
        for (const RegionReportRow& region : host.regions)
            lines.push_back({&host, &region, nullptr});
        lines.push_back({&host, &host.unmarked, "(unmarked)"});
        if (host.has_epochs)
            lines.push_back({&host, &host.epoch, "(epochs)"});
        lines.push_back({&host, &host.application, "(application)"});
    }
    return lines;
}

}  // namespace

void write_region_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out) {
    const std::vector<RegionReportHost> hosts = region_report(profile);
    const std::vector<Line> lines = lines_of(hosts);
    const bool show_host = hosts.size() > 1;
    std::vector<Column> columns;
    Column host = text_column("host", "Host", Align::left);
    columns.push_back(show_host ? host : for_scripts(host));
    columns.insert(columns.end(),
                   {text_column("region", "Region", Align::left),
                    number_column("count", "Count", "", 2), time_column("runtime", "Runtime[s]")});
    std::vector<const SampledColumn*> sampled;
    for (const SampledColumn& column : sampled_columns)
        if (std::any_of(lines.begin(), lines.end(),
                        [&](const Line& line) { return !std::isnan(column.value(*line.row)); })) {
            sampled.push_back(&column);
            columns.push_back(column.column);
        }
    const TableSpec spec = {.id = "regions",
                            .title = "Regions by host",
                            .row = "region",
                            .columns = columns,
                            .sorted_by = "runtime"};
    const std::size_t shown = shown_rows(lines.size(), options);
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const Line& line = lines[i];
        row.text(text.shown(line.host->name));
        row.text(line.total ? line.total : text.shown(line.row->name));
        if (line.total && line.row != &line.host->epoch)
            row.blank();
        else
            row.number(line.row->count);
        row.number(line.row->runtime_s);
        for (const SampledColumn* column : sampled) {
            const double value = column->value(*line.row);
            if (std::isnan(value))
                row.blank();
            else
                row.number(value);
        }
    });
    say_what_is_left_out(lines.size(), shown, out);
}

}  // namespace vftrace
