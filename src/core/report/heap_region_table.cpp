// What was allocated in sections, regions and tasks, wherever they were entered.
#include "report/heap_tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "profile/heap.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;

struct RegionHeap {
    std::uint32_t function = no_index;  // index into Profile::functions: the section or region
    Estimate at_peak, live, allocated, calls;
    double temporary = 0;
    Estimate own_at_peak, own_allocated;  // without what was allocated in others inside it
};

void add(Estimate& sum, const Estimate& other) {
    sum.value += other.value;
    sum.variance += other.variance;
}

bool is_region(NodeKind kind) {
    return kind == NodeKind::region || kind == NodeKind::section || kind == NodeKind::task;
}

// Those with most at the peak first.
std::vector<RegionHeap> region_heap(const Profile& profile, const std::vector<PathHeap>& paths) {
    std::vector<RegionHeap> by_function(profile.functions.size());
    for (const PathHeap& path : paths) {
        std::vector<std::uint32_t> around;  // the innermost first, each once
        for (std::uint32_t at = path.path; at != no_index; at = profile.paths[at].parent) {
            const std::uint32_t function = profile.paths[at].function;
            if (is_region(profile.functions[function].kind) &&
                std::find(around.begin(), around.end(), function) == around.end())
                around.push_back(function);
        }
        for (const std::uint32_t function : around) {
            RegionHeap& row = by_function[function];
            row.function = function;
            add(row.at_peak, path.at_peak);
            add(row.live, path.live);
            add(row.allocated, path.allocated);
            add(row.calls, path.calls);
            row.temporary += path.temporary;
            if (function == around.front()) {
                add(row.own_at_peak, path.at_peak);
                add(row.own_allocated, path.allocated);
            }
        }
    }
    std::erase_if(by_function, [](const RegionHeap& row) { return row.function == no_index; });
    std::stable_sort(by_function.begin(), by_function.end(),
                     [](const RegionHeap& a, const RegionHeap& b) {
                         return std::pair(a.at_peak.value, a.allocated.value) >
                                std::pair(b.at_peak.value, b.allocated.value);
                     });
    return by_function;
}

}  // namespace

void write_heap_region_table(const Profile& profile, const std::vector<PathHeap>& paths,
                             const PathText& text, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {
        number_column("at_peak", "At the peak[MiB]", "MiB", 3),
        percent_column("at_peak_error", "+-[%]"),
        number_column("own_at_peak", "own[MiB]", "MiB", 3),
        number_column("at_end", "At the end[MiB]", "MiB", 3),
        percent_column("at_end_error", "+-[%]"),
        number_column("allocated", "Allocated[MiB]", "MiB", 3),
        percent_column("allocated_error", "+-[%]"),
        number_column("own_allocated", "own[MiB]", "MiB", 3),
        number_column("allocations", "Allocations", "", 0),
        percent_column("temporary", "Temporary[%]"),
        {.id = "region", .header = "Region", .align = Align::left, .keeps_width = true}};
    const std::vector<RegionHeap> rows = region_heap(profile, paths);
    if (rows.empty())
        return;
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "memory_by_region",
                            .title = "Memory by section and region",
                            .row = "section, region or task",
                            .columns = columns,
                            .sorted_by = "at_peak"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const RegionHeap& row = rows[i];
        cells.number(row.at_peak.value / mebibyte);
        write_error(row.at_peak, cells);
        cells.number(row.own_at_peak.value / mebibyte);
        cells.number(row.live.value / mebibyte);
        write_error(row.live, cells);
        cells.number(row.allocated.value / mebibyte);
        write_error(row.allocated, cells);
        cells.number(row.own_allocated.value / mebibyte);
        cells.number(row.calls.value);
        cells.number(row.calls.value > 0 ? 100 * row.temporary / row.calls.value : 0);
        cells.text(text.shown(profile.functions[row.function].display));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
