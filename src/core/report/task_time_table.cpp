// Which types of tasks took the time in each interval between snapshots.
#include "report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "report/rows.hpp"
#include "report/series_subject.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_types = 10;

// The series of a type, or of all tasks; nullptr: there is none.
struct TaskSeries {
    const Series *own = nullptr, *with_children = nullptr, *created = nullptr, *ended = nullptr;
};
struct KindOfSeries {
    MetricId metric;
    const Series* TaskSeries::*series;
};
constexpr KindOfSeries kinds[] = {{MetricId::task_own_at, &TaskSeries::own},
                                  {MetricId::task_with_children_at, &TaskSeries::with_children},
                                  {MetricId::task_created_at, &TaskSeries::created},
                                  {MetricId::task_ended_at, &TaskSeries::ended}};

// An empty type stands for all tasks of the rank, and is the rank's first one.
struct TypeOfRank {
    std::uint32_t rank;
    std::string_view type;
    TaskSeries series;
};

std::vector<TypeOfRank> types_of_ranks(const Profile& profile) {
    std::vector<TypeOfRank> all;
    for (const Series& series : profile.series)
        for (const KindOfSeries& kind : kinds) {
            const std::string* type = subject_of(profile, series, kind.metric);
            if (!type && !is_of_process(profile, series, kind.metric))
                continue;
            all.push_back({series.rank, type ? std::string_view(*type) : "", {}});
            all.back().series.*kind.series = &series;
        }
    const auto place = [](const TypeOfRank& one) { return std::tie(one.rank, one.type); };
    std::sort(all.begin(), all.end(),
              [&](const TypeOfRank& a, const TypeOfRank& b) { return place(a) < place(b); });
    std::vector<TypeOfRank> types;
    for (const TypeOfRank& one : all) {
        if (types.empty() || place(types.back()) != place(one))
            types.push_back(one);
        for (const KindOfSeries& kind : kinds)
            if (one.series.*kind.series)
                types.back().series.*kind.series = one.series.*kind.series;
    }
    return types;
}

// The sum up to this time.
double sum_at(const Series* series, std::int64_t ns) {
    if (!series)
        return 0;
    const auto after = std::upper_bound(
        series->points.begin(), series->points.end(), ns,
        [](std::int64_t time, const Series::Point& point) { return time < point.ns; });
    return after == series->points.begin() ? 0 : std::prev(after)->value;
}

// What happened in an interval.
struct TaskTime {
    double own_ns = 0, with_children_ns = 0, created = 0, ended = 0;

    bool is_nothing() const {
        constexpr double least = 0.5;  // less is due to rounding
        return own_ns < least && with_children_ns < least && created < least && ended < least;
    }
};

struct Row {
    std::uint32_t rank;
    std::int64_t from_ns, to_ns;
    std::string_view type;  // empty: all without their own row
    TaskTime time;
};

double difference(const Series* series, std::int64_t from_ns, std::int64_t to_ns) {
    const double difference = sum_at(series, to_ns) - sum_at(series, from_ns);
    return std::isfinite(difference) ? std::max(difference, 0.0) : 0;
}

TaskTime time_between(const TaskSeries& tasks, std::int64_t from_ns, std::int64_t to_ns) {
    const auto between = [&](const Series* series) { return difference(series, from_ns, to_ns); };
    return {between(tasks.own), between(tasks.with_children), between(tasks.created),
            between(tasks.ended)};
}

double own_at_end(const TaskSeries& tasks) {
    return tasks.own && !tasks.own->points.empty() ? tasks.own->points.back().value : 0;
}

// The types of a rank with the most time in the whole run.
std::span<TypeOfRank> heaviest(std::span<TypeOfRank> types) {
    std::sort(types.begin(), types.end(), [](const TypeOfRank& a, const TypeOfRank& b) {
        const double own_a = own_at_end(a.series), own_b = own_at_end(b.series);
        return own_a != own_b ? own_a > own_b : a.type < b.type;
    });
    return types.first(std::min(types.size(), most_types));
}

void add_interval(const TypeOfRank& all, std::span<const TypeOfRank> types, std::int64_t from_ns,
                  std::int64_t to_ns, std::vector<Row>& rows) {
    TaskTime rest = time_between(all.series, from_ns, to_ns);
    rest.with_children_ns = 0;  // these would include each other
    const std::size_t first = rows.size();
    const auto add = [&](std::string_view type, const TaskTime& time) {
        if (!time.is_nothing())
            rows.push_back({all.rank, from_ns, to_ns, type, time});
    };
    for (const TypeOfRank& type : types) {
        const TaskTime time = time_between(type.series, from_ns, to_ns);
        rest.own_ns -= time.own_ns;
        rest.created -= time.created;
        rest.ended -= time.ended;
        add(type.type, time);
    }
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
              [](const Row& a, const Row& b) {
                  return a.time.own_ns != b.time.own_ns ? a.time.own_ns > b.time.own_ns
                                                        : a.type < b.type;
              });
    add({}, rest);
}

// Adds the rows of one rank, all tasks first.
void add_rank(std::span<TypeOfRank> types, std::vector<Row>& rows) {
    const TypeOfRank& all = types.front();
    if (!all.type.empty() || !all.series.own)
        return;
    const std::span<const TypeOfRank> shown = heaviest(types.subspan(1));
    std::int64_t from_ns = 0;
    for (const Series::Point& point : all.series.own->points) {
        if (point.ns > from_ns)
            add_interval(all, shown, from_ns, point.ns, rows);
        from_ns = std::max(from_ns, point.ns);
    }
}

std::vector<Row> rows_of(const Profile& profile) {
    std::vector<TypeOfRank> types = types_of_ranks(profile);
    std::vector<Row> rows;
    for (auto first = types.begin(); first != types.end();) {
        const auto next = std::find_if(
            first, types.end(), [&](const TypeOfRank& type) { return type.rank != first->rank; });
        add_rank({first, next}, rows);
        first = next;
    }
    return rows;
}

std::uint64_t count_of(double number) {
    constexpr double most = 1e18;
    return static_cast<std::uint64_t>(std::llround(std::clamp(number, 0.0, most)));
}

}  // namespace

bool has_task_snapshots(const Profile& profile) {
    return std::any_of(profile.series.begin(), profile.series.end(), [&](const Series& series) {
        return is_of_process(profile, series, MetricId::task_own_at);
    });
}

void write_task_time_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out) {
    const std::vector<Row> rows = rows_of(profile);
    static constexpr Column columns[] = {count_column("rank", "Rank"),
                                         time_column("from", "From[s]"),
                                         time_column("to", "To[s]"),
                                         task_column,
                                         time_column("own", "Own[s]"),
                                         percent_column("share", "%", 2),
                                         time_column("with_children", "With children[s]"),
                                         count_column("tasks", "Tasks"),
                                         count_column("ended", "Ended")};
    const TableSpec spec = {.id = "tasks_over_time",
                            .title = "Tasks over time",
                            .row = "interval and type of tasks",
                            .columns = columns};
    const std::size_t shown = shown_rows(rows.size(), options);
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const Row& row = rows[i];
        constexpr double second = 1e9;
        cells.integer(row.rank);
        cells.number(seconds(row.from_ns));
        cells.number(seconds(row.to_ns));
        cells.text(row.type.empty() ? "(other tasks)" : text.task(row.type));
        cells.number(std::max(row.time.own_ns, 0.0) / second);
        constexpr double percent = 100;
        cells.number(percent * std::max(row.time.own_ns, 0.0) /
                     static_cast<double>(row.to_ns - row.from_ns));
        if (row.type.empty())
            cells.blank();
        else
            cells.number(row.time.with_children_ns / second);
        cells.integer(count_of(row.time.created));
        cells.integer(count_of(row.time.ended));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
