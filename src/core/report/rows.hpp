// What the tables of a log share: units, means, the order of rows, and the number shown.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Shown instead of the call for GPU work whose call is not known.
inline constexpr std::string_view no_known_call = "(no known call)";

inline constexpr double mebibyte = 1024 * 1024;

inline double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// 0 if there is no whole.
inline double percentage(std::int64_t part, double whole) {
    return whole > 0.0 ? 100.0 * static_cast<double>(part) / whole : 0.0;
}

// 0 if there is nothing to take the mean of, or the sum is not a finite number.
inline double mean(double sum, std::uint64_t count) {
    return count > 0 && std::isfinite(sum) ? sum / static_cast<double>(count) : 0.0;
}

// Whether the time of a path is not part of the program's: between vftrace_pause() and
// vftrace_resume().
inline bool is_paused(const Profile& profile, std::uint32_t path) {
    return (profile.paths[path].flags & path_paused) != 0 ||
           profile.functions[profile.paths[path].function].kind == NodeKind::pause;
}

// Whether a row comes before another: by the values that the table is sorted by, and by STID from
// small to large if they are equal.
template <class Value>
bool row_before(Value a, Value b, std::uint32_t stid_a, std::uint32_t stid_b, bool ascending) {
    return a == b ? stid_a < stid_b : (a < b) == ascending;
}

// Whether a path is this one or below it.
inline bool is_below(const Profile& profile, std::uint32_t path, std::uint32_t ancestor) {
    while (path != no_index && path > ancestor)  // callees come after their callers
        path = profile.paths[path].parent;
    return path == ancestor;
}

// Calls of which percentiles mean something.
inline constexpr std::uint64_t fewest_calls_for_percentiles = 10;

// Writes what percentile_ns() (profile/latencies.hpp) returned, in ms.
inline void write_percentile(double ns, TableRow& cells) {
    if (ns > 0)
        cells.number(ns / 1e6);
    else
        cells.text("< 0.001");
}

inline constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

// Columns that tables of call paths have.
inline constexpr Column function_column = text_column("function", "Function");
inline constexpr Column caller_column = text_column("caller", "Caller");
inline constexpr Column stid_column = count_column("stack_id", "STID");
inline constexpr Column callpath_column = {
    .id = "callpath", .header = "Callpath", .keeps_width = true};
// PathText::task() has shortened it.
inline constexpr Column task_column = {
    .id = "task", .header = "Task", .align = Align::left, .keeps_width = true};

// The word of the column that a table is sorted by; for the order of call paths, that of the STID
// column.
template <class Column>
std::string_view word_of(SortedBy<Column> sort) {
    const auto column = static_cast<std::size_t>(sort.column);
    return column < column_words<Column>.size() ? column_words<Column>[column] : stid_column.id;
}

// `most`: the table's own limit.
inline std::size_t shown_rows(std::size_t rows, const ReportOptions& options,
                              std::size_t most = no_limit) {
    if (options.max_rows > 0)
        most = options.max_rows;
    else if (options.all_rows)
        most = no_limit;
    else
        most = std::min(most, options.rows_by_default);
    return std::min(rows, most);
}

// A line with the number of those that are not shown, if there are any: "(2 more kernels)".
inline void write_rest(std::size_t all, std::size_t shown, const char* one, const char* several,
                       TableOutput& out, const char* indent = "") {
    if (shown < all)
        out.print("%s(%zu more %s)\n", indent, all - shown, all - shown == 1 ? one : several);
}

// The end of a table of which `shown` rows were printed.
inline void say_what_is_left_out(std::size_t rows, std::size_t shown, TableOutput& out) {
    write_rest(rows, shown, "row", "rows", out);
    out.write("\n");
}

}  // namespace vftrace
