#include "commands/latency_differences.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "commands/command_line.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "profile/latencies.hpp"
#include "profile/metric_rows.hpp"
#include "report/rows.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

std::map<std::string, PathLatencies> latencies_by_function(const std::string& file) {
    const Profile profile = read_profile(file);
    if (profile.latencies.empty())
        throw CommandError(
            fmt::format("{}: this run has no durations of calls longer than a microsecond "
                        "(samples do not have durations)",
                        printable(file)));
    std::map<std::string, PathLatencies> functions;
    for (const PathLatencies& row : profile.latencies) {
        const std::string& name = profile.functions[profile.paths[row.path].function].display;
        if (const auto [known, is_new] = functions.try_emplace(name, row); !is_new)
            add_row(known->second, row, {});
    }
    return functions;
}

LatencyFigures figures_of_calls(const PathLatencies& row) {
    return {row.calls, percentile_ns(row, 0.5), percentile_ns(row, 0.99),
            static_cast<double>(row.longest.ns)};
}

// What is below the bins is somewhere below their beginning.
double at_least(double ns) { return std::max(ns, static_cast<double>(least_latency_ns)); }

}  // namespace

double LatencyDifference::ratio() const {
    const double ratio = at_least(b.p99_ns) / at_least(a.p99_ns);
    return std::max(ratio, 1 / ratio);
}

bool LatencyDifference::is_certain() const {
    constexpr double neighbouring_bins = 1.25;
    return ratio() > neighbouring_bins;
}

std::vector<LatencyDifference> latency_differences(const std::string& file_a,
                                                   const std::string& file_b) {
    const auto functions_a = latencies_by_function(file_a);
    const auto functions_b = latencies_by_function(file_b);
    std::vector<LatencyDifference> result;
    for (const auto& [name, row_a] : functions_a) {
        const auto row_b = functions_b.find(name);
        if (row_b != functions_b.end() &&
            std::min(row_a.calls, row_b->second.calls) >= fewest_calls_for_percentiles)
            result.push_back({name, figures_of_calls(row_a), figures_of_calls(row_b->second)});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& x, const auto& y) { return x.ratio() > y.ratio(); });
    return result;
}

void print_latency_differences(const std::vector<LatencyDifference>& rows, std::size_t limit,
                               OutputFile& out) {
    const Column columns[] = {count_column("calls_a", "Calls A"),
                              count_column("calls_b", "Calls B"),
                              number_column("p50_a", "50 % A[ms]", "ms", 3),
                              number_column("p50_b", "50 % B[ms]", "ms", 3),
                              number_column("p99_a", "99 % A[ms]", "ms", 3),
                              number_column("p99_b", "99 % B[ms]", "ms", 3),
                              number_column("ratio", "B/A", "", 2),
                              number_column("longest_a", "Longest A[ms]", "ms", 3),
                              number_column("longest_b", "Longest B[ms]", "ms", 3),
                              text_column("function", "Function", Align::left)};
    const TableSpec spec = {.id = "latency_differences",
                            .title = "\nHow long calls took (B/A: of the 99th percentiles, if they "
                                     "differ by more than their error)",
                            .row = "function",
                            .columns = columns};
    const std::size_t shown = std::min(rows.size(), limit);
    print_table(out, spec, shown, [&](std::size_t i, TableRow& cells) {
        const LatencyDifference& row = rows[i];
        cells.integer(row.a.calls);
        cells.integer(row.b.calls);
        for (const double ns : {row.a.median_ns, row.b.median_ns, row.a.p99_ns, row.b.p99_ns})
            write_percentile(ns, cells);
        if (row.is_certain())
            cells.number(at_least(row.b.p99_ns) / at_least(row.a.p99_ns));
        else
            cells.blank();
        cells.number(row.a.longest_ns / 1e6);
        cells.number(row.b.longest_ns / 1e6);
        cells.text(printable(row.function));
    });
    if (shown < rows.size())
        out.write(fmt::format("({} more function{})\n", rows.size() - shown,
                              plural_s(rows.size() - shown)));
}

void write_latency_differences(const std::vector<LatencyDifference>& rows, JsonWriter& json) {
    const auto write_figures = [&](const char* key, const LatencyFigures& figures) {
        json.key(key).begin_object(JsonWriter::Layout::compact);
        json.key("calls").unsigned_integer(figures.calls);
        json.key("p50_ns").integer(std::llround(figures.median_ns));
        json.key("p99_ns").integer(std::llround(figures.p99_ns));
        json.key("longest_ns").integer(std::llround(figures.longest_ns));
        json.end_object();
    };
    json.key("latencies").begin_array();
    for (const LatencyDifference& row : rows) {
        json.begin_object(JsonWriter::Layout::compact);
        json.key("function").string(row.function);
        write_figures("a", row.a);
        write_figures("b", row.b);
        json.key("differs").boolean(row.is_certain());
        json.end_object();
    }
    json.end_array();
}

}  // namespace vftrace::tools
