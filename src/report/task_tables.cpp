// Which asynchronous tasks took the time.
#include "report/task_tables.hpp"

#include <algorithm>
#include <vector>

#include "base/saturating.hpp"
#include "profile/task_tree.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_types = 100;  // in one table

constexpr Column columns[] = {text_column("task", "Task", Align::left),
                              time_column("own", "Own[s]"),
                              percent_column("share", "%", 2),
                              time_column("longest_task", "Longest task[s]"),
                              time_column("longest_run", "Longest run[s]"),
                              time_column("with_children", "With children[s]"),
                              time_column("wall", "Wall[s]"),
                              count_column("tasks", "Tasks"),
                              count_column("completed", "Completed"),
                              count_column("failed", "Failed"),
                              count_column("cancelled", "Cancelled"),
                              count_column("stillborn", "Stillborn"),
                              count_column("alive", "Alive"),
                              count_column("pauses", "Pauses"),
                              time_column("paused", "Paused[s]")};

}  // namespace

void write_task_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    const std::vector<TaskType> types = task_types(profile);
    std::int64_t all_ns = 0;
    for (const TaskType& type : types)
        add_saturating(all_ns, type.own_ns);
    const std::size_t shown = shown_rows(types.size(), options, most_types);
    const TableSpec spec = {.id = "tasks",
                            .title = "Task ranks",
                            .row = "type of tasks",
                            .columns = columns,
                            .sorted_by = "own"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const TaskType& type = types[i];
        row.text(text.shown(type.name));
        row.number(seconds(type.own_ns));
        row.number(percentage(type.own_ns, static_cast<double>(all_ns)));
        for (const double ns : {type.longest_ns, type.longest_run_ns})
            row.number(ns / 1e9);
        row.number(seconds(type.with_children_ns));
        row.number(type.wall_ns / 1e9);
        for (const std::uint64_t count : {type.created, type.completed, type.failed, type.cancelled,
                                          type.stillborn, type.alive(), type.pauses})
            row.integer(count);
        row.number(type.paused_ns / 1e9);
    });
    say_what_is_left_out(types.size(), shown, out);
}

}  // namespace vftrace
