// Which paths allocated memory, and what they had at the peak and at the end.
#include "report/heap_tables.hpp"
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "profile/fields.hpp"
#include "profile/heap.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;  // of one table

template <class Value>
std::vector<const PathHeap*> largest_first(const std::vector<PathHeap>& paths, Value value) {
    std::vector<const PathHeap*> rows;
    for (const PathHeap& path : paths)
        if (value(path) > 0)
            rows.push_back(&path);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const PathHeap* a, const PathHeap* b) { return value(*a) > value(*b); });
    return rows;
}

void write_interval(const Estimate& estimate, double unit, TableRow& cells) {
    const auto [low, high] = interval_95(estimate);
    cells.number(low / unit);
    cells.number(high / unit);
}

void write_live(const Profile& profile, const std::vector<PathHeap>& paths, const PathText& text,
                const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {number_column("at_peak", "At the peak[MiB]", "MiB", 3),
                                         percent_column("at_peak_share", "%"),
                                         percent_column("at_peak_error", "+-[%]"),
                                         number_column("at_end", "At the end[MiB]", "MiB", 3),
                                         percent_column("at_end_error", "+-[%]"),
                                         for_scripts(number_column("at_peak_low", "", "MiB", 3)),
                                         for_scripts(number_column("at_peak_high", "", "MiB", 3)),
                                         for_scripts(number_column("at_end_low", "", "MiB", 3)),
                                         for_scripts(number_column("at_end_high", "", "MiB", 3)),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(callpath_column)};
    double all = 0;
    for (const PathHeap& path : paths)
        all += path.at_peak.value;
    const auto rows = largest_first(
        paths, [](const PathHeap& path) { return std::max(path.at_peak.value, path.live.value); });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "memory_by_path",
                            .title = "Memory by path",
                            .row = "call path",
                            .columns = columns,
                            .sorted_by = "at_peak"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const PathHeap& row = *rows[i];
        cells.number(row.at_peak.value / mebibyte);
        cells.number(all > 0 ? 100 * row.at_peak.value / all : 0);
        write_error(row.at_peak, cells);
        cells.number(row.live.value / mebibyte);
        write_error(row.live, cells);
        write_interval(row.at_peak, mebibyte, cells);
        write_interval(row.live, mebibyte, cells);
        write_place(profile, row.path, text, cells);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_allocations(const Profile& profile, const std::vector<PathHeap>& paths,
                       const PathText& text, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {number_column("allocated", "Allocated[MiB]", "MiB", 3),
                                         percent_column("allocated_error", "+-[%]"),
                                         number_column("allocations", "Allocations", "", 0),
                                         percent_column("allocations_error", "+-[%]"),
                                         number_column("mean", "Mean size[B]", "B", 0),
                                         percent_column("temporary", "Temporary[%]"),
                                         for_scripts(count_column("samples", "")),
                                         for_scripts(number_column("allocated_low", "", "MiB", 3)),
                                         for_scripts(number_column("allocated_high", "", "MiB", 3)),
                                         for_scripts(number_column("allocations_low", "", "", 0)),
                                         for_scripts(number_column("allocations_high", "", "", 0)),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(callpath_column)};
    const auto rows =
        largest_first(paths, [](const PathHeap& path) { return path.allocated.value; });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "allocations",
                            .title = "Allocations by path",
                            .row = "call path",
                            .columns = columns,
                            .sorted_by = "allocated"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const PathHeap& row = *rows[i];
        cells.number(row.allocated.value / mebibyte);
        write_error(row.allocated, cells);
        cells.number(row.calls.value);
        write_error(row.calls, cells);
        cells.number(row.calls.value > 0 ? row.allocated.value / row.calls.value : 0);
        cells.number(row.calls.value > 0 ? 100 * row.temporary / row.calls.value : 0);
        cells.integer(static_cast<std::uint64_t>(row.samples));
        write_interval(row.allocated, mebibyte, cells);
        write_interval(row.calls, 1, cells);
        write_place(profile, row.path, text, cells);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

// The places by line, as far as lines are known: several calls in a line are one row.
std::vector<HeapSiteRow> rows_by_line(const Profile& profile) {
    const auto key = [](const HeapSiteRow& row) {
        return std::tie(row.path, row.file, row.line, row.module, row.offset);
    };
    std::vector<HeapSiteRow> sites = profile.heap_sites, rows;
    for (HeapSiteRow& site : sites) {
        site.path = allocating_path(profile, site.path);
        if (site.line > 0) {
            site.module = no_index;
            site.offset = 0;
        }
    }
    std::sort(sites.begin(), sites.end(),
              [&](const HeapSiteRow& a, const HeapSiteRow& b) { return key(a) < key(b); });
    for (HeapSiteRow& site : sites)
        if (!rows.empty() && key(rows.back()) == key(site))
            add_figures(rows.back(), site);
        else
            rows.push_back(std::move(site));
    return rows;
}

void write_lines(const Profile& profile, const PathText& text, const ReportOptions& options,
                 TableOutput& out) {
    static constexpr Column columns[] = {number_column("at_peak", "At the peak[MiB]", "MiB", 3),
                                         number_column("at_end", "At the end[MiB]", "MiB", 3),
                                         number_column("allocated", "Allocated[MiB]", "MiB", 3),
                                         number_column("allocations", "Allocations", "", 0),
                                         text_column("place", "Line", Align::left),
                                         function_column,
                                         caller_column,
                                         stid_column,
                                         for_scripts(text_column("file", "")),
                                         for_scripts(count_column("line", "")),
                                         for_scripts(callpath_column)};
    std::vector<HeapSiteRow> rows = rows_by_line(profile);
    const auto size = [](const HeapSiteRow& site) {
        return std::tuple(std::max(site.at_peak, site.live), site.allocated);
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const HeapSiteRow& a, const HeapSiteRow& b) { return size(a) > size(b); });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "memory_by_line",
                            .title = "Memory by line",
                            .row = "line",
                            .columns = columns,
                            .sorted_by = "at_peak"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const HeapSiteRow& row = rows[i];
        const std::uint32_t path = row.path;
        cells.number(static_cast<double>(row.at_peak) / mebibyte);
        cells.number(static_cast<double>(row.live) / mebibyte);
        cells.number(static_cast<double>(row.allocated) / mebibyte);
        cells.number(row.calls);
        cells.text(place_text(profile, row));
        cells.text(text.function(path));
        cells.text(text.caller(path));
        cells.integer(profile.paths[path].stid);
        cells.text(row.file);
        cells.integer(row.line);
        cells.text(text.call_path(path));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_ranks(std::vector<RankHeap> rows, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {
        count_column("rank", "Rank"), number_column("peak", "Peak[MiB]", "MiB", 3),
        number_column("peak_time", "at[s]", "s", 3),
        number_column("live", "At the end[MiB]", "MiB", 3),
        number_column("not_recorded", "Not recorded[MiB]", "MiB", 3)};
    std::stable_sort(rows.begin(), rows.end(),
                     [](const RankHeap& a, const RankHeap& b) { return a.peak > b.peak; });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "memory_by_rank",
                            .title = "Memory by rank",
                            .row = "rank",
                            .columns = columns,
                            .sorted_by = "peak"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const RankHeap& row = rows[i];
        cells.integer(row.rank);
        cells.number(row.peak / mebibyte);
        cells.number(row.peak_time_ns / 1e9);
        cells.number(row.live / mebibyte);
        cells.number(row.not_recorded / mebibyte);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

void write_error(const Estimate& estimate, TableRow& cells) {
    if (estimate.variance > 0)
        cells.number(error_percent(estimate));
    else
        cells.blank();
}

void write_place(const Profile& profile, std::uint32_t path, const PathText& text,
                 TableRow& cells) {
    cells.text(text.function(path));
    cells.text(text.caller(path));
    cells.integer(profile.paths[path].stid);
    cells.text(text.call_path(path));
}

std::string place_text(const Profile& profile, const HeapSiteRow& site) {
    if (site.line > 0)
        return format("%s:%u", printable(base_name(site.file)).c_str(), site.line);
    if (site.module == no_index)
        return "";
    const std::string& file = profile.modules[site.module].path;
    return format("%s+0x%llx", printable(base_name(file)).c_str(),
                  static_cast<unsigned long long>(site.offset));
}

void write_heap_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    const std::vector<PathHeap> paths = path_heap(profile);
    const std::vector<RankHeap> ranks = rank_heap(profile);
    write_live(profile, paths, text, options, out);
    write_allocations(profile, paths, text, options, out);
    write_lines(profile, text, options, out);
    write_heap_region_table(profile, paths, text, options, out);
    write_heap_series_table(profile, paths, ranks, text, options, out);
    write_ranks(ranks, options, out);
    write_placement_table(profile, text, options, out);
    double sample_bytes = 0;
    for (const RankHeap& rank : ranks)
        sample_bytes = std::max(sample_bytes, rank.sample_bytes);
    if (sample_bytes > 1)
        out.print(
            "Estimates from a sample of the allocations, one for each %.4g KiB of a thread on "
            "average;\n+-: half of the interval that has the true value with 95 %% "
            "probability.\n\n",
            sample_bytes / 1024);
}

}  // namespace vftrace
