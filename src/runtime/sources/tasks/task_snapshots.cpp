#include "tasks/task_snapshots.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "base/message.hpp"
#include "config/options.hpp"
#include "service/service_thread.hpp"
#include "tasks/live_task_ranks.hpp"
#include "tree/series.hpp"

namespace vftrace {
namespace {

// A type takes 48 KiB.
constexpr std::size_t most_types = 64;
constexpr std::uint32_t points_of_type = 256;

struct SeriesOfTasks {
    MetricId metric;
    double (*value)(const LiveTaskRank& rank);
};
constexpr SeriesOfTasks kinds[] = {
    {MetricId::task_own_at, [](const LiveTaskRank& rank) { return rank.own_ns; }},
    {MetricId::task_with_children_at,
     [](const LiveTaskRank& rank) { return rank.with_children_ns; }},
    {MetricId::task_created_at,
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.created); }},
    {MetricId::task_ended_at,
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.ended()); }}};

struct TypeSeries {
    const char* name;  // its only copy in the tree's memory; nullptr: of all tasks
    SeriesRecord* series[std::size(kinds)];
};

// Under the lock of ask_tasks(). The first element is that of all tasks, and determines the times
// of the points of all series.
std::vector<TypeSeries>* all_series;

TimedWork work = {.interval_ns = 0, .run = [] { task_snapshot(); }, .waits_first = true};

void add_reading(const TypeSeries& type, std::uint64_t now, const LiveTaskRank& rank) {
    for (std::size_t i = 0; i < std::size(kinds); i++)
        if (type.series[i])
            add_reading(*type.series[i], now, kinds[i].value(rank));
}

bool has_series(const char* name) {
    return std::any_of(all_series->begin() + 1, all_series->end(),
                       [name](const TypeSeries& type) { return type.name == name; });
}

// Creates series of all tasks together, and then of types, those with the most time first, up to
// the limit. A type without series only counts in those of all tasks.
void make_series(const LiveTaskRanks& ranks) {
    if (!all_series) {
        all_series = new std::vector<TypeSeries>;
        TypeSeries& all = all_series->emplace_back();
        for (std::size_t i = 0; i < std::size(kinds); i++)
            all.series[i] = new_series(kinds[i].metric, nullptr, points_of_type);
    }
    const SeriesRecord* times = all_series->front().series[0];
    if (!times || all_series->size() > most_types || all_series->size() > ranks.all().size())
        return;
    for (const LiveTaskRank* rank : ranks.sorted_by(&LiveTaskRank::own_ns)) {
        if (all_series->size() > most_types)
            break;
        if (has_series(rank->name))
            continue;
        TypeSeries& type = all_series->emplace_back();
        type.name = rank->name;
        for (std::size_t i = 0; i < std::size(kinds); i++)
            type.series[i] = new_series_beside(*times, kinds[i].metric, rank->name);
    }
}

void take(const LiveTaskRanks& ranks, std::uint64_t now) {
    make_series(ranks);
    LiveTaskRank all;
    for (const LiveTaskRank& rank : ranks.all()) {
        all.own_ns += rank.own_ns;
        all.created += rank.created;
        all.completed += rank.ended();
    }
    all.with_children_ns = all.own_ns;
    for (const TypeSeries& type : *all_series) {
        const LiveTaskRank* rank = type.name ? ranks.find(type.name) : &all;
        if (rank)
            add_reading(type, now, *rank);
    }
}

}  // namespace

void prepare_task_snapshots(const Options& options) {
    constexpr double shortest = 1e-3;
    work.interval_ns = interval_ns(options.task_snapshot_interval, shortest);
}

int task_snapshot() {
    return ask_tasks([](const LiveTaskRanks& ranks, std::uint64_t now) { take(ranks, now); });
}

void start_task_snapshots() {
    if (work.interval_ns == 0)
        return;
    if (const int error = every(work))
        message("task.snapshot_interval: cannot start the thread that takes snapshots: %s",
                std::strerror(error));
}

void forget_task_snapshots() { all_series = nullptr; }

void end_task_snapshots() {
    if (work.interval_ns == 0 && !all_series)
        return;
    const auto take_last = [](const LiveTaskRanks& ranks, std::uint64_t now) {
        if (ranks.all().empty())
            return;
        take(ranks, now);
        for (const TypeSeries& type : *all_series)
            for (SeriesRecord* series : type.series)
                if (series)
                    end_point(*series, now);
    };
    ask_tasks(take_last, true);
}

}  // namespace vftrace
