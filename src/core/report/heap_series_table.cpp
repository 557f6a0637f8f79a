// How much memory the paths that had most of it had in the course of the run.
#include "report/heap_tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "report/rows.hpp"
#include "report/series_subject.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 8;

// Zero before the first point. Values hold until the next point.
double value_at(const Series& series, std::int64_t ns) {
    const auto next =
        std::upper_bound(series.points.begin(), series.points.end(), ns,
                         [](std::int64_t time, const auto& point) { return time < point.ns; });
    return next == series.points.begin() ? 0 : std::prev(next)->value;
}

struct HeapSeries {
    const Series* series;
    const Series::Point* most;
};

// Those with most first.
std::vector<HeapSeries> heap_series(const Profile& profile, std::uint32_t rank) {
    std::vector<HeapSeries> rows;
    for (const Series& series : profile.series)
        if (series.rank == rank && is_of_process(profile, series, MetricId::heap_path_live_at) &&
            series.path != no_index && !series.points.empty())
            rows.push_back({&series, &*std::max_element(series.points.begin(), series.points.end(),
                                                        [](const auto& a, const auto& b) {
                                                            return a.value < b.value;
                                                        })});
    std::stable_sort(rows.begin(), rows.end(), [](const HeapSeries& a, const HeapSeries& b) {
        return a.most->value > b.most->value;
    });
    return rows;
}

// The live bytes of a path, whose blocks are like all that it has allocated.
Estimate estimate_of(double bytes, const std::vector<PathHeap>& paths, std::uint32_t path) {
    const auto found = std::lower_bound(
        paths.begin(), paths.end(), path,
        [](const PathHeap& row, std::uint32_t wanted) { return row.path < wanted; });
    if (found == paths.end() || found->path != path || !(found->allocated.value > 0))
        return {bytes, 0};
    return {bytes, bytes * found->allocated.variance / found->allocated.value};
}

}  // namespace

void write_heap_series_table(const Profile& profile, const std::vector<PathHeap>& paths,
                             const std::vector<RankHeap>& ranks, const PathText& text,
                             const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {number_column("most", "Most[MiB]", "MiB", 3),
                                         percent_column("most_error", "+-[%]"),
                                         time_column("time_of_most", "at[s]"),
                                         number_column("at_quarter", "1/4[MiB]", "MiB", 3),
                                         number_column("at_half", "1/2[MiB]", "MiB", 3),
                                         number_column("at_three_quarters", "3/4[MiB]", "MiB", 3),
                                         number_column("at_end", "At the end[MiB]", "MiB", 3),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(count_column("rank", "")),
                                         for_scripts(callpath_column)};
    const RankHeap* const rank = rank_with_highest_peak(ranks);
    if (!rank)
        return;
    const std::vector<HeapSeries> rows = heap_series(profile, rank->rank);
    if (rows.empty())
        return;
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const std::string title = profile.run.ranks > 1
                                  ? format("Memory over time (rank %u, which had most)", rank->rank)
                                  : "Memory over time";
    const TableSpec spec = {.id = "memory_over_time",
                            .title = title,
                            .row = "call path",
                            .columns = columns,
                            .sorted_by = "most"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const Series& series = *rows[i].series;
        const std::int64_t end = series.points.back().ns;
        const std::uint32_t path = allocating_path(profile, series.path);
        cells.number(rows[i].most->value / mebibyte);
        write_error(estimate_of(rows[i].most->value, paths, path), cells);
        cells.number(static_cast<double>(rows[i].most->ns) / 1e9);
        for (const std::int64_t quarters : {1, 2, 3, 4})
            cells.number(value_at(series, end / 4 * quarters + end % 4 * quarters / 4) / mebibyte);
        cells.text(text.function(path));
        cells.text(text.caller(path));
        cells.integer(profile.paths[path].stid);
        cells.integer(series.rank);
        cells.text(text.call_path(path));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
