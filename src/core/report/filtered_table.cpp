// The functions without rows of their own: excluded by the user, or too small to be measured.
#include "report/tables.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

const char* what_happened(const FilteredFunction& filtered) {
    if (filtered.reason == FilterReason::excluded)
        return filtered.still_called ? "excluded, hooks left" : "excluded";
    if (filtered.reason == FilterReason::sampled)
        return filtered.still_called ? "sampled, hooks left" : "sampled";
    return filtered.still_called ? "removed, hooks left" : "removed";
}

}  // namespace

void write_filtered_table(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    std::vector<const FilteredFunction*> order;
    for (const FilteredFunction& filtered : profile.filtered)
        order.push_back(&filtered);
    std::sort(order.begin(), order.end(), [](const FilteredFunction* a, const FilteredFunction* b) {
        return row_before(a->overhead_ns, b->overhead_ns, a->function, b->function, false);
    });
    static constexpr Column columns[] = {
        count_column("calls", "Calls"),
        time_column("time_excl", "t_excl[s]"),
        number_column("time_per_call", "t_excl[ns/call]", "ns/call", 1),
        time_column("overhead", "overhead[s]"),
        time_column("moment", "at[s]"),
        text_column("reason", "what"),
        function_column};
    const bool sampled =
        std::all_of(order.begin(), order.end(), [](const FilteredFunction* filtered) {
            return filtered->reason == FilterReason::sampled;
        });
    const std::size_t shown = shown_rows(order.size(), options);
    const TableSpec spec = {
        .id = "filtered",
        .title = sampled ? "Filtered functions: called without hooks after the time in at[s]; "
                           "times are from samples, for the whole run"
                         : "Filtered functions: measured before their hooks were removed; their "
                           "time is part of their callers'",
        .row = "function",
        .columns = columns,
        .sorted_by = "overhead"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const FilteredFunction& filtered = *order[i];
        row.integer(filtered.calls);
        row.number(seconds(filtered.exclusive_ns));
        if (filtered.calls > 0 && filtered.reason != FilterReason::sampled)
            row.number(static_cast<double>(filtered.exclusive_ns) /
                       static_cast<double>(filtered.calls));
        else
            row.blank();
        row.number(seconds(filtered.overhead_ns));
        if (filtered.moment_ns >= 0)
            row.number(seconds(filtered.moment_ns));
        else
            row.blank();
        row.text(what_happened(filtered));
        row.text(shorten_middle(printable(profile.functions[filtered.function].display),
                                options.max_name_width));
    });
    say_what_is_left_out(order.size(), shown, out);
}

}  // namespace vftrace
