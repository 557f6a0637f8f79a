// How long the calls of each path took: percentiles, and the longest call.
#include "report/tables.hpp"

#include <algorithm>
#include <vector>

#include "profile/latencies.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;
constexpr double slowest_share = 0.01;

}  // namespace

bool has_latencies(const Profile& profile) { return !profile.latencies.empty(); }

void write_latency_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out) {
    static constexpr Column columns[] = {time_column("time", "t_incl[s]"),
                                         count_column("calls", "Calls"),
                                         number_column("mean", "Mean[ms]", "ms", 3),
                                         number_column("p50", "50 %[ms]", "ms", 3),
                                         number_column("p90", "90 %[ms]", "ms", 3),
                                         number_column("p99", "99 %[ms]", "ms", 3),
                                         number_column("longest", "Longest[ms]", "ms", 3),
                                         number_column("longest_end", "ended at[s]", "s", 3),
                                         count_column("longest_rank", "on rank"),
                                         percent_column("slowest", "Slowest 1 %[%]"),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(callpath_column)};
    std::vector<const PathLatencies*> rows;
    for (const PathLatencies& row : profile.latencies)
        if (row.calls >= fewest_calls_for_percentiles && !is_paused(profile, row.path))
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(), [&](const PathLatencies* a, const PathLatencies* b) {
        return profile.paths[a->path].inclusive_ns > profile.paths[b->path].inclusive_ns;
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "latencies",
                            .title = "How long calls took",
                            .row = "call path",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const PathLatencies& row = *rows[i];
        const Path& path = profile.paths[row.path];
        const auto time_ns = static_cast<double>(path.inclusive_ns);
        cells.number(seconds(path.inclusive_ns));
        cells.integer(row.calls);
        cells.number(mean(time_ns, row.calls) / 1e6);
        for (const double share : {0.5, 0.9, 0.99})
            write_percentile(percentile_ns(row, share), cells);
        cells.number(static_cast<double>(row.longest.ns) / 1e6);
        cells.number(seconds(row.longest.end_ns));
        cells.integer(row.longest.rank);
        std::uint64_t calls = 0;
        const double slowest_ns = ns_of_longest(row, slowest_share, calls);
        if (calls > 0 && time_ns > 0)
            cells.number(std::min(100 * slowest_ns / time_ns, 100.0));
        else
            cells.blank();
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.integer(path.stid);
        cells.text(text.call_path(row.path));
    });
    say_what_is_left_out(rows.size(), shown, out);
    out.print(
        "Percentiles are those of bins, up to 25 %% too large. Slowest 1 %%: their part of the "
        "time.\n\n");
}

}  // namespace vftrace
