// Threads that run asynchronous tasks: event loops.
#include "report/tables.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profile/row_keys.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

const ThreadFigures* thread_of(const Profile& profile, const TaskLoop& loop) {
    const auto place = std::pair(loop.rank, loop.number);
    const auto found = std::lower_bound(
        profile.threads.begin(), profile.threads.end(), place,
        [](const ThreadFigures& thread, const std::pair<std::uint32_t, std::uint32_t>& other) {
            return std::pair(thread.rank, thread.number) < other;
        });
    return found == profile.threads.end() || std::pair(found->rank, found->number) != place
               ? nullptr
               : &*found;
}

}  // namespace

void write_task_loop_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out) {
    std::vector<TaskLoop> loops = profile.task_loops;
    if (loops.empty())
        return;
    std::stable_sort(loops.begin(), loops.end(), [](const TaskLoop& a, const TaskLoop& b) {
        return is_rest(a) != is_rest(b) ? is_rest(b) : a.busy_ns > b.busy_ns;
    });
    const bool show_rank = profile.ranks.size() > 1;
    std::vector<Column> columns;
    if (show_rank)
        columns.push_back(text_column("rank", "Rank"));
    columns.insert(columns.end(),
                   {text_column("thread", "Thread"), text_column("name", "Name"),
                    count_column("threads", "Threads"), time_column("lifetime", "Lifetime[s]"),
                    time_column("busy", "Busy[s]"), percent_column("busy_share", "Busy[%]"),
                    time_column("outside", "Outside[s]"), time_column("idle", "Idle[s]"),
                    time_column("longest_run", "Longest run[s]"),
                    text_column("longest_task", "Task of the longest run", Align::left)});
    const std::size_t shown = shown_rows(loops.size(), options, options.max_thread_rows);
    const TableSpec spec = {.id = "task_loops",
                            .title = "Threads that run tasks",
                            .row = "thread",
                            .columns = columns,
                            .sorted_by = "busy"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const TaskLoop& loop = loops[i];
        const ThreadFigures* thread = is_rest(loop) ? nullptr : thread_of(profile, loop);
        if (show_rank)
            row.text(is_rest(loop) ? "others" : std::to_string(loop.rank));
        row.text(is_rest(loop) ? "" : std::to_string(loop.number));
        row.text(thread ? text.shown(thread->name) : "");
        row.integer(loop.threads);
        row.number(seconds(loop.lifetime_ns));
        row.number(seconds(loop.busy_ns));
        row.number(percentage(loop.busy_ns, static_cast<double>(loop.lifetime_ns)));
        if (loop.outside_ns < 0) {
            row.blank();
            row.blank();
        } else {
            row.number(seconds(loop.outside_ns));
            row.number(seconds(
                std::max<std::int64_t>(loop.lifetime_ns - loop.busy_ns - loop.outside_ns, 0)));
        }
        row.number(seconds(loop.longest_run_ns));
        row.text(
            loop.longest_task == no_index
                ? ""
                : text.task(profile.functions[profile.paths[loop.longest_task].function].display));
    });
    say_what_is_left_out(loops.size(), shown, out);
}

}  // namespace vftrace
