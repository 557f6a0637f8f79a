// Where threads waited, and where they were displaced by other work.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "profile/waiting.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;  // of one table

double seconds_of(double ns) { return ns / 1e9; }

double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// "pipe 60 %, socket 40 %": of the time that was looked at, the largest part first, without parts
// that would be 0 %. `seen_ns` gets that time.
std::string kinds_text(const PathWaits& row, double& seen_ns) {
    std::vector<std::size_t> kinds;
    seen_ns = 0;
    for (std::size_t i = 0; i < wait_kinds; i++)
        if (row.ns[i] > 0 && WaitKind(i + 1) != WaitKind::not_seen) {
            kinds.push_back(i);
            seen_ns += row.ns[i];
        }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [&](std::size_t a, std::size_t b) { return row.ns[a] > row.ns[b]; });
    constexpr double least = 0.5;
    std::erase_if(kinds, [&](std::size_t kind) { return share(row.ns[kind], seen_ns) < least; });
    std::string text;
    for (const std::size_t kind : kinds) {
        text += text.empty() ? "" : ", ";
        text += wait_kind_rows[kind].text;
        if (kinds.size() > 1)
            append_format(text, " %.0f %%", share(row.ns[kind], seen_ns));
    }
    return text;
}

void write_waits(const Profile& profile, const std::vector<PathWaits>& paths,
                 const ThreadStates& all, const PathText& text, const ReportOptions& options,
                 TableOutput& out) {
    static constexpr Column columns[] = {function_column,
                                         caller_column,
                                         time_column("time", "t_wait[s]"),
                                         percent_column("share", "%", 2),
                                         count_column("waits", "Waits"),
                                         number_column("mean", "Mean[ms]", "ms", 3),
                                         number_column("longest", "Longest[ms]", "ms", 3),
                                         text_column("kind", "Waits for", Align::left),
                                         percent_column("seen", "Looked at[%]"),
                                         for_scripts(callpath_column),
                                         stid_column};
    std::vector<const PathWaits*> rows;
    for (const PathWaits& path : paths)
        if (path.waited_ns() > 0)
            rows.push_back(&path);
    std::stable_sort(rows.begin(), rows.end(), [](const PathWaits* a, const PathWaits* b) {
        return a->waited_ns() > b->waited_ns();
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "thread_waits",
                            .title = "Waiting of threads (%: of the time of all threads)",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const PathWaits& row = *rows[i];
        const double ns = row.waited_ns(), waits = row.number_of_waits();
        double seen_ns;
        const std::string kinds = kinds_text(row, seen_ns);
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.number(seconds_of(ns));
        cells.number(share(ns, all.watched_ns));
        cells.integer(static_cast<std::uint64_t>(waits));
        cells.number(waits > 0 ? ns / waits / 1e6 : 0);
        cells.number(row.longest_ns / 1e6);
        cells.text(seen_ns > 0 ? kinds : "(not looked at)");
        cells.number(share(seen_ns, ns));
        cells.text(text.call_path(row.path));
        cells.integer(profile.paths[row.path].stid);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_displacements(const Profile& profile, const std::vector<PathWaits>& paths,
                         const ThreadStates& all, const PathText& text,
                         const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {function_column,
                                         caller_column,
                                         time_column("time", "t_displaced[s]"),
                                         percent_column("share", "%", 2),
                                         count_column("times", "Times"),
                                         for_scripts(callpath_column),
                                         stid_column};
    std::vector<const PathWaits*> rows;
    for (const PathWaits& path : paths)
        if (path.displaced_ns > 0)
            rows.push_back(&path);
    if (rows.empty())
        return;
    std::stable_sort(rows.begin(), rows.end(), [](const PathWaits* a, const PathWaits* b) {
        return a->displaced_ns > b->displaced_ns;
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "displaced_threads",
                            .title = "Work that had to wait for a processor",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const PathWaits& row = *rows[i];
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.number(seconds_of(row.displaced_ns));
        cells.number(share(row.displaced_ns, all.watched_ns));
        cells.integer(static_cast<std::uint64_t>(row.displacements));
        cells.text(text.call_path(row.path));
        cells.integer(profile.paths[row.path].stid);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

struct StatesOfThread {
    const ThreadFigures* thread;
    ThreadStates states;
};

void write_states(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {count_column("rank", "Rank"),
                                         count_column("thread", "Thread"),
                                         text_column("name", "Name"),
                                         time_column("watched", "Watched[s]"),
                                         percent_column("running", "Running[%]", 2),
                                         percent_column("waiting", "Waiting[%]", 2),
                                         percent_column("displaced", "Displaced[%]", 2),
                                         percent_column("unknown", "Not known[%]", 2),
                                         count_column("reports_lost", "Reports lost")};
    std::vector<StatesOfThread> rows;
    for (const ThreadFigures& thread : profile.threads)
        if (const ThreadStates states = states_of(profile, thread); states.was_watched())
            rows.push_back({&thread, states});
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.states.watched_ns > b.states.watched_ns;
    });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "thread_states",
                            .title = "States of threads",
                            .row = "thread",
                            .columns = columns,
                            .sorted_by = "watched"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const auto& [thread, states] = rows[i];
        cells.integer(thread->rank);
        thread->number == no_index ? cells.blank() : cells.integer(thread->number);
        cells.text(thread->number == no_index ? "all others" : thread->name);
        cells.number(seconds_of(states.watched_ns));
        for (const double ns :
             {states.running_ns, states.waited_ns, states.displaced_ns, states.unknown_ns()})
            cells.number(share(ns, states.watched_ns));
        cells.integer(static_cast<std::uint64_t>(states.reports_lost));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

void write_waiting_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out) {
    const std::vector<PathWaits> paths = path_waits(profile);
    const ThreadStates all = states_of_threads(profile);
    write_waits(profile, paths, all, text, options, out);
    write_lock_tables(profile, paths, text, options, out);
    write_displacements(profile, paths, all, text, options, out);
    write_states(profile, options, out);
}

}  // namespace vftrace
