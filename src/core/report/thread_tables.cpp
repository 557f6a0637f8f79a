#include "report/thread_tables.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "profile/metric_rows.hpp"
#include "report/metric_columns.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

// Most time first. Threads left out when merging ranks, whose row is not a single thread, come
// last.
std::vector<ThreadFigures> rows_by_time(const Profile& profile) {
    std::vector<ThreadFigures> rows = profile.threads;
    std::sort(rows.begin(), rows.end(), [](const ThreadFigures& a, const ThreadFigures& b) {
        return std::tuple(a.number == no_index, -a.time_ns, a.rank, a.number) <
               std::tuple(b.number == no_index, -b.time_ns, b.rank, b.number);
    });
    return rows;
}

// All rows from `shown` on become one.
void fold_rows(std::vector<ThreadFigures>& rows, std::size_t shown,
               const std::vector<Metric>& metrics) {
    ThreadFigures rest;
    rest.number = no_index;
    rest.threads = 0;
    for (std::size_t i = shown; i < rows.size(); i++)
        add_thread_row(rest, rows[i], metrics);
    rows.resize(shown);
    rows.push_back(rest);
}

// The time of all threads. In double, because the sum over a large machine may not fit into 64
// bits.
double total_time(const std::vector<ThreadFigures>& rows) {
    double sum = 0.0;
    for (const ThreadFigures& row : rows)
        sum += static_cast<double>(row.time_ns);
    return sum;
}

// What identifies the thread: its number, and its start function.
void fill_identity(const ThreadFigures& thread, const Profile& profile, const PathText& text,
                   bool show_rank, TableRow& row) {
    const bool rest = thread.number == no_index;
    if (show_rank)
        row.text(rest ? "..." : format("%u", thread.rank));
    row.text(rest ? "..." : format("%u", thread.number));
    row.text(printable(thread.name));
    if (rest || thread.openmp_worker || thread.start == 0) {
        row.text(rest ? "all others" : thread.openmp_worker ? "OpenMP worker" : "----");
        row.blank();
        return;
    }
    row.text(text.function(thread.start));
    row.integer(profile.paths[thread.start].stid);
}

}  // namespace

bool has_thread_table(const Profile& profile) {
    return !profile.threads.empty() &&
           (profile.run.threads > 1 || !metric_columns(profile, MetricScope::thread).empty());
}

void write_thread_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                        TableOutput& out) {
    std::vector<ThreadFigures> rows = rows_by_time(profile);
    const double total = total_time(rows);
    const std::size_t shown = shown_rows(rows.size(), options, options.max_thread_rows);
    // Not for a single row, which shows more in the same space.
    if (rows.size() > shown + 1)
        fold_rows(rows, shown, profile.metrics);

    const bool show_rank = profile.ranks.size() > 1;
    const bool show_openmp = !profile.parallel_regions.empty();
    std::vector<Column> columns;
    if (show_rank)
        columns.push_back(text_column("rank", "Rank"));
    columns.insert(columns.end(),
                   {text_column("thread", "Thread"), text_column("name", "Name"),
                    text_column("start", "Start"), stid_column, count_column("threads", "Threads"),
                    count_column("calls", "Calls"), time_column("time", "Time[s]"),
                    percent_column("share", "Time[%]")});
    if (show_openmp)
        columns.insert(columns.end(), {time_column("parallel_time", "Parallel[s]"),
                                       time_column("waiting_time", "Waiting[s]")});
    const std::vector<MetricColumn> metrics = metric_columns(profile, MetricScope::thread);
    for (const MetricColumn& metric : metrics)
        columns.push_back(metric.column());
    const TableSpec spec = {.id = "threads",
                            .title = "Threads",
                            .row = "thread",
                            .columns = columns,
                            .sorted_by = "time"};
    out.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
        const ThreadFigures& thread = rows[i];
        fill_identity(thread, profile, text, show_rank, row);
        row.integer(thread.threads);
        row.integer(thread.calls);
        row.number(seconds(thread.time_ns));
        row.number(percentage(thread.time_ns, total));
        if (show_openmp) {
            row.number(seconds(thread.parallel_ns));
            row.number(seconds(thread.waiting_ns));
        }
        for (const MetricColumn& metric : metrics)
            metric.add_cell(metric_of(thread.metrics, metric.metric()), row);
    });
    out.write("\n");
}

double imbalance_percent(const ParallelRegion& region) {
    const double average = mean(static_cast<double>(region.busy_ns), region.threads);
    return average > 0.0 ? 100.0 * (static_cast<double>(region.busy_max_ns) / average - 1.0) : 0.0;
}

void write_parallel_region_table(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, TableOutput& out) {
    std::vector<const ParallelRegion*> order;
    for (const ParallelRegion& region : profile.parallel_regions)
        order.push_back(&region);
    const auto path_of = [&](const ParallelRegion* region) -> const Path& {
        return profile.paths[region->path];
    };
    std::sort(order.begin(), order.end(), [&](const ParallelRegion* a, const ParallelRegion* b) {
        return row_before(path_of(a).inclusive_ns, path_of(b).inclusive_ns, path_of(a).stid,
                          path_of(b).stid, false);
    });
    static constexpr Column columns[] = {count_column("entries", "Entries"),
                                         count_column("threads", "Threads"),
                                         time_column("time_incl", "t_incl[s]"),
                                         time_column("busy_time", "Busy[s]"),
                                         time_column("waiting_time", "Waiting[s]"),
                                         percent_column("waiting_share", "Waiting[%]"),
                                         percent_column("imbalance", "Imbalance[%]"),
                                         text_column("region", "Region"),
                                         caller_column,
                                         stid_column};
    const std::size_t shown = shown_rows(order.size(), options);
    const TableSpec spec = {.id = "parallel_regions",
                            .title = "OpenMP parallel regions",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = "time_incl"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const ParallelRegion& region = *order[i];
        const Path& path = profile.paths[region.path];
        row.integer(region.entries);
        row.integer(region.threads);
        row.number(seconds(path.inclusive_ns));
        row.number(seconds(region.busy_ns));
        row.number(seconds(region.waiting_ns));
        row.number(percentage(region.waiting_ns, static_cast<double>(region.busy_ns) +
                                                     static_cast<double>(region.waiting_ns)));
        row.number(imbalance_percent(region));
        row.text(text.function(region.path));
        row.text(text.caller(region.path));
        row.integer(path.stid);
    });
    say_what_is_left_out(order.size(), shown, out);
}

}  // namespace vftrace
