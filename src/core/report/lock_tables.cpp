// For which locks threads waited, where, and where the threads were that had them.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "profile/locks.hpp"
#include "profile/waiting.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_rows = 20;  // of one table
constexpr const char* not_known = "(not known)";

constexpr Column path_column(std::string_view id, std::string_view header) {
    return {.id = id, .header = header, .align = Align::left, .keeps_width = true};
}

// The functions of the program that lead to a path, as many as a table has room for:
// "work<rebuild".
std::string short_path(const Profile& profile, std::uint32_t path, const PathText& text) {
    constexpr int most_levels = 2;
    std::string names;
    for (int level = 0; level < most_levels && path != no_index; level++) {
        path = path_outside_library(profile, path);
        if (level > 0 && profile.paths[path].parent == no_index)
            break;
        names += (level > 0 ? "<" : "") + text.function(path);
        path = profile.paths[path].parent;
    }
    return names;
}

std::string shown_name(const Profile& profile, const LockWait& row, const PathText& text) {
    return text.shown(lock_name(row, [&](std::uint32_t path) {
        return text.function(path_outside_library(profile, path));
    }));
}

// Where most of the time is, and its share of the time of the lock.
void write_main_path(const Profile& profile, std::uint32_t path, std::int64_t ns, const Lock& lock,
                     const PathText& text, TableRow& cells) {
    if (path == no_index) {
        cells.text(has_holder(lock.kind()) ? not_known : "");
        cells.blank();
        return;
    }
    cells.text(short_path(profile, path, text));
    cells.number(percentage(ns, static_cast<double>(lock.ns)));
}

void write_locks(const Profile& profile, const std::vector<Lock>& locks, const PathText& text,
                 const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {text_column("lock", "Lock", Align::left),
                                         text_column("kind", "Kind", Align::left),
                                         time_column("time", "t_wait[s]"),
                                         count_column("waits", "Waits"),
                                         number_column("mean", "Mean[ms]", "ms", 3),
                                         number_column("longest", "Longest[ms]", "ms", 3),
                                         path_column("waiter", "Waits mostly in"),
                                         percent_column("waiter_share", "%"),
                                         path_column("holder", "While held mostly in"),
                                         percent_column("holder_share", "%")};
    const std::size_t shown = shown_rows(locks.size(), options, most_rows);
    const TableSpec spec = {.id = "locks",
                            .title = "Locks for which threads waited",
                            .row = "lock",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const Lock& lock = locks[i];
        const std::uint32_t waiter = lock.main_waiter(), holder = lock.main_holder();
        cells.text(shown_name(profile, lock.rows.front(), text));
        cells.text(text_of(lock.kind()));
        cells.number(seconds(lock.ns));
        cells.integer(lock.waits);
        cells.number(mean(static_cast<double>(lock.ns), lock.waits) / 1e6);
        cells.number(static_cast<double>(lock.longest_ns) / 1e6);
        write_main_path(profile, waiter, lock.ns_of_waiter(waiter), lock, text, cells);
        write_main_path(profile, holder, lock.ns_of_holder(holder), lock, text, cells);
    });
    say_what_is_left_out(locks.size(), shown, out);
}

void write_waits_for_locks(const Profile& profile, const std::vector<Lock>& locks,
                           const PathText& text, const ReportOptions& options, TableOutput& out) {
    static constexpr Column columns[] = {
        text_column("lock", "Lock", Align::left),
        time_column("time", "t_wait[s]"),
        count_column("waits", "Waits"),
        number_column("longest", "Longest[ms]", "ms", 3),
        path_column("waiter", "Waits in"),
        path_column("holder", "While held in"),
        for_scripts(text_column("waiter_callpath", "Waiting call path")),
        for_scripts(text_column("holder_callpath", "Call path of the holder"))};
    std::vector<const LockWait*> rows;
    for (const Lock& lock : locks)
        for (const LockWait& row : lock.rows)
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LockWait* a, const LockWait* b) { return a->ns > b->ns; });
    const std::size_t shown = shown_rows(rows.size(), options, most_rows);
    const TableSpec spec = {.id = "lock_waits",
                            .title = "Waits for locks by call path",
                            .row = "lock, waiting path and holder",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const LockWait& row = *rows[i];
        cells.text(shown_name(profile, row, text));
        cells.number(seconds(row.ns));
        cells.integer(row.waits);
        cells.number(static_cast<double>(row.longest_ns) / 1e6);
        const bool is_known = row.holder != no_index;
        cells.text(short_path(profile, row.path, text));
        cells.text(is_known               ? short_path(profile, row.holder, text)
                   : has_holder(row.kind) ? not_known
                                          : "");
        cells.text(text.call_path(row.path));
        cells.text(is_known ? text.call_path(row.holder) : "");
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

void write_lock_tables(const Profile& profile, const std::vector<PathWaits>& paths,
                       const PathText& text, const ReportOptions& options, TableOutput& out) {
    const std::vector<Lock> locks = locks_of(profile);
    if (locks.empty())
        return;
    write_locks(profile, locks, text, options, out);
    write_waits_for_locks(profile, locks, text, options, out);
    double all_ns = 0, known_ns = 0;
    for (const PathWaits& path : paths)
        all_ns += path.ns[static_cast<std::size_t>(WaitKind::lock) - 1];
    for (const Lock& lock : locks)
        known_ns += static_cast<double>(lock.ns);
    if (constexpr double much = 0.02; all_ns - known_ns > much * all_ns)
        out.print(
            "Of the waits for locks and other threads, %.1f %% of the time were for locks that "
            "are not known.\n\n",
            100 * (all_ns - known_ns) / all_ns);
}

}  // namespace vftrace
