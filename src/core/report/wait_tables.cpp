// Wait states, their causes, and the critical path.
#include "report/wait_tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "profile/profile_json_words.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;  // of one table

constexpr Column callpath_for_scripts = for_scripts(callpath_column);

// Longest time first, or by rank or path; then those with the most time.
template <class Row>
std::vector<const Row*> sorted_rows(const std::vector<Row>& rows, const Profile& profile,
                                    WaitSortOrder sort) {
    std::vector<const Row*> order;
    order.reserve(rows.size());
    for (const Row& row : rows)
        order.push_back(&row);
    const auto key = [&](const Row& row) -> std::int64_t {
        switch (sort.column) {
        case WaitColumn::rank:
            return -std::int64_t{row.rank};
        case WaitColumn::stack_id:
            return -std::int64_t{profile.paths[row.path].stid};
        case WaitColumn::time:
            break;
        }
        return row.ns;
    };
    std::stable_sort(order.begin(), order.end(), [&](const Row* a, const Row* b) {
        return key(*a) != key(*b) ? key(*a) > key(*b) : a->ns > b->ns;
    });
    return order;
}

// The share of the run time of all ranks together.
double share(const Profile& profile, std::int64_t ns) {
    return percentage(ns, static_cast<double>(profile.run.runtime_ns) *
                              static_cast<double>(std::max(profile.run.ranks, 1u)));
}

std::string_view word_of(WaitPattern pattern) {
    return profile_json::word_of(profile_json::wait_pattern_words, pattern);
}

// The place of a row; the end of the row distinguishes it from others with this name.
void add_function(const PathText& text, std::uint32_t path, TableRow& row) {
    row.text(text.function(path));
    row.text(text.caller(path));
}

void write_wait_states(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    static constexpr Column columns[] = {text_column("pattern", "Wait state", Align::left),
                                         count_column("rank", "Rank"),
                                         function_column,
                                         caller_column,
                                         time_column("time", "t_wait[s]"),
                                         percent_column("share", "%", 2),
                                         count_column("waits", "Waits"),
                                         time_column("longest", "Longest[s]"),
                                         callpath_for_scripts,
                                         stid_column};
    const auto order = sorted_rows(profile.wait_states, profile, options.wait_sort);
    const std::size_t shown = shown_rows(order.size(), options, most_rows);
    const TableSpec spec = {.id = "wait_states",
                            .title = "Wait states",
                            .row = "rank, path and wait state",
                            .columns = columns,
                            .sorted_by = word_of(options.wait_sort)};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const WaitState& state = *order[i];
        row.text(word_of(state.pattern));
        row.integer(state.rank);
        add_function(text, state.path, row);
        row.number(seconds(state.ns));
        row.number(share(profile, state.ns));
        row.integer(state.waits);
        row.number(seconds(state.longest_ns));
        row.text(text.call_path(state.path));
        row.integer(profile.paths[state.path].stid);
    });
    std::int64_t all = 0;
    for (const WaitState& state : profile.wait_states)
        all += state.ns;
    out.print("Waiting: %.3f s, %.2f %% of the time of all ranks\n", seconds(all),
              share(profile, all));
    say_what_is_left_out(order.size(), shown, out);
}

void write_wait_causes(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    static constexpr Column columns[] = {count_column("rank", "Rank"),
                                         function_column,
                                         caller_column,
                                         time_column("time", "t_caused[s]"),
                                         percent_column("share", "%", 2),
                                         text_column("pattern", "Wait state", Align::left),
                                         text_column("waiting_function", "Waiting in"),
                                         text_column("waiting_caller", "Called by"),
                                         for_scripts(count_column("waiting_stack_id", "STID")),
                                         callpath_for_scripts,
                                         for_scripts(text_column("waiting_callpath", "Callpath")),
                                         stid_column};
    const auto order = sorted_rows(profile.wait_causes, profile, options.wait_sort);
    const std::size_t shown = shown_rows(order.size(), options, most_rows);
    const TableSpec spec = {.id = "wait_causes",
                            .title = "Causes of waiting (what a rank did while others waited for "
                                     "it; t_caused adds up their waiting)",
                            .row = "rank, path, wait state and path that waits",
                            .columns = columns,
                            .sorted_by = word_of(options.wait_sort)};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const WaitCause& cause = *order[i];
        row.integer(cause.rank);
        add_function(text, cause.path, row);
        row.number(seconds(cause.ns));
        row.number(share(profile, cause.ns));
        row.text(word_of(cause.pattern));
        add_function(text, cause.waiting_path, row);
        row.integer(profile.paths[cause.waiting_path].stid);
        row.text(text.call_path(cause.path));
        row.text(text.call_path(cause.waiting_path));
        row.integer(profile.paths[cause.path].stid);
    });
    say_what_is_left_out(order.size(), shown, out);
}

void write_critical_path(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out) {
    static constexpr Column columns[] = {count_column("rank", "Rank"),
                                         function_column,
                                         caller_column,
                                         time_column("time", "t_critical[s]"),
                                         percent_column("share", "%", 2),
                                         time_column("imbalance", "Imbalance[s]"),
                                         callpath_for_scripts,
                                         stid_column};
    std::int64_t whole = 0, imbalance = 0;
    for (const CriticalPath& row : profile.critical_path) {
        whole += row.ns;
        imbalance += row.imbalance_ns;
    }
    const auto order = sorted_rows(profile.critical_path, profile, options.wait_sort);
    const std::size_t shown = shown_rows(order.size(), options, most_rows);
    const TableSpec spec = {.id = "critical_path",
                            .title = "Critical path",
                            .row = "rank and path",
                            .columns = columns,
                            .sorted_by = word_of(options.wait_sort)};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const CriticalPath& critical = *order[i];
        row.integer(critical.rank);
        add_function(text, critical.path, row);
        row.number(seconds(critical.ns));
        row.number(percentage(critical.ns, static_cast<double>(whole)));
        row.number(seconds(critical.imbalance_ns));
        row.text(text.call_path(critical.path));
        row.integer(profile.paths[critical.path].stid);
    });
    out.print("Critical path: %.3f s, of which %.3f s (%.1f %%) is imbalance\n", seconds(whole),
              seconds(imbalance), percentage(imbalance, static_cast<double>(whole)));
    say_what_is_left_out(order.size(), shown, out);
}

}  // namespace

bool has_wait_tables(const Profile& profile) { return !profile.critical_path.empty(); }

void write_wait_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    write_wait_states(profile, text, options, out);
    write_wait_causes(profile, text, options, out);
    write_critical_path(profile, text, options, out);
}

}  // namespace vftrace
