// Which asynchronous tasks took the time.
#include "report/tables.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/saturating.hpp"
#include "profile/task_tree.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_types = 100;  // in one table

constexpr Column columns[] = {task_column,
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

constexpr Column tree_columns[] = {task_column,
                                   for_scripts(count_column("depth", "Depth")),
                                   time_column("own", "Own[s]"),
                                   time_column("with_children", "With children[s]"),
                                   time_column("longest_run", "Longest run[s]"),
                                   count_column("tasks", "Tasks"),
                                   count_column("alive", "Alive"),
                                   count_column("pauses", "Pauses"),
                                   callpath_column};

constexpr Column run_columns[] = {task_column,
                                  count_column("runs", "Runs"),
                                  time_column("median_run", "Median run[s]", 6),
                                  time_column("p99_run", "99% of runs[s]", 6),
                                  time_column("longest_run", "Longest run[s]", 6),
                                  count_column("ready", "Ready known"),
                                  time_column("median_ready", "Median ready[s]", 6),
                                  time_column("p99_ready", "99% ready[s]", 6),
                                  time_column("longest_ready", "Longest ready[s]", 6),
                                  text_column("hint", "Hint", Align::left)};

double figure_of(const TaskType& type, TaskColumn column) {
    switch (column) {
    case TaskColumn::own:
        return static_cast<double>(type.own_ns);
    case TaskColumn::longest_task:
        return type.longest_ns;
    case TaskColumn::longest_run:
        return type.longest_run_ns;
    case TaskColumn::with_children:
        return static_cast<double>(type.with_children_ns);
    case TaskColumn::wall:
        return type.wall_ns;
    case TaskColumn::tasks:
        return static_cast<double>(type.created);
    case TaskColumn::pauses:
        return static_cast<double>(type.pauses);
    case TaskColumn::paused:
        return type.paused_ns;
    }
    return 0;
}

void sort_types(std::vector<TaskType>& types, TaskSortOrder sort) {
    std::stable_sort(types.begin(), types.end(), [&](const TaskType& a, const TaskType& b) {
        const double figure_a = figure_of(a, sort.column), figure_b = figure_of(b, sort.column);
        return sort.ascending ? figure_a < figure_b : figure_a > figure_b;
    });
}

std::string task_at(const Profile& profile, const PathText& text, std::uint32_t path) {
    return text.task(profile.functions[profile.paths[path].function].display);
}

// Number, median, 99th percentile and longest of durations; blank where there are none.
void write_durations(const DurationCounts& counts, double longest_ns, TableRow& row) {
    constexpr double half = 0.5, most = 0.99;
    row.integer(counts.all());
    for (const double ns :
         {counts.percentile(half, longest_ns), counts.percentile(most, longest_ns), longest_ns})
        if (counts.all() > 0)
            row.number(ns / 1e9);
        else
            row.blank();
}

// How long tasks run without a pause, and how long they are ready before they run.
void write_task_runs(const std::vector<TaskType>& types, const PathText& text,
                     const ReportOptions& options, TableOutput& out) {
    std::vector<const TaskType*> run;
    for (const TaskType& type : types)
        if (type.runs.all() > 0)
            run.push_back(&type);
    if (run.empty())
        return;
    const std::size_t shown = shown_rows(run.size(), options, most_types);
    const TableSpec spec = {.id = "task_runs",
                            .title = "Runs of tasks",
                            .row = "type of tasks",
                            .columns = run_columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const TaskType& type = *run[i];
        row.text(text.task(type.name));
        write_durations(type.runs, type.longest_run_ns, row);
        write_durations(type.ready, type.longest_ready_ns, row);
        row.text(task_hint(type));
    });
    say_what_is_left_out(run.size(), shown, out);
}

// Where tasks were created, each below the ones that created it.
void write_task_tree(const Profile& profile, const PathText& text, const ReportOptions& options,
                     TableOutput& out) {
    const std::vector<TaskPlace> places = task_places(profile);
    const std::size_t shown = shown_rows(places.size(), options, most_types);
    const TableSpec spec = {
        .id = "task_tree", .title = "Task tree", .row = "path of tasks", .columns = tree_columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const TaskPlace& place = places[i];
        constexpr std::size_t indent = 2;
        row.text(std::string(indent * place.depth, ' ') + task_at(profile, text, place.path));
        row.integer(place.depth);
        row.number(seconds(place.own_ns));
        row.number(seconds(place.with_children_ns));
        row.number(place.longest_run_ns / 1e9);
        for (const std::uint64_t count : {place.created, place.alive(), place.pauses})
            row.integer(count);
        row.text(text.call_path(place.path));
    });
    say_what_is_left_out(places.size(), shown, out);
}

}  // namespace

void write_task_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    std::vector<TaskType> types = task_types(profile);
    sort_types(types, options.task_sort);
    std::int64_t all_ns = 0;
    for (const TaskType& type : types)
        add_saturating(all_ns, type.own_ns);
    const std::size_t shown = shown_rows(types.size(), options, most_types);
    const TableSpec spec = {.id = "tasks",
                            .title = "Task ranks",
                            .row = "type of tasks",
                            .columns = columns,
                            .sorted_by = word_of(options.task_sort)};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const TaskType& type = types[i];
        row.text(text.task(type.name));
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
    write_task_runs(types, text, options, out);
    write_task_loop_table(profile, text, options, out);
    if (options.show_task_tree)
        write_task_tree(profile, text, options, out);
}

}  // namespace vftrace
