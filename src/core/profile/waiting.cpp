#include "profile/waiting.hpp"

#include <numeric>
#include <string_view>

#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

struct ThreadField {
    MetricId metric;
    double ThreadStates::*field;
};
constexpr ThreadField thread_fields[] = {
    {MetricId::waiting_watched, &ThreadStates::watched_ns},
    {MetricId::waiting_running, &ThreadStates::running_ns},
    {MetricId::waiting_waited, &ThreadStates::waited_ns},
    {MetricId::waiting_displaced, &ThreadStates::displaced_ns},
    {MetricId::waiting_reports_lost, &ThreadStates::reports_lost}};

struct PathField {
    MetricId metric;
    double PathWaits::*field;
};
constexpr PathField path_fields[] = {{MetricId::waiting_longest, &PathWaits::longest_ns},
                                     {MetricId::waiting_preempted, &PathWaits::displaced_ns},
                                     {MetricId::waiting_preemptions, &PathWaits::displacements}};

// Where the values of a metric belong in a row.
struct Place {
    double PathWaits::*field = nullptr;
    std::array<double, wait_kinds> PathWaits::*kinds = nullptr;  // if `field` is nullptr
    unsigned kind = 0;

    explicit operator bool() const { return field || kinds; }
    double& in(PathWaits& row) const { return field ? row.*field : (row.*kinds)[kind - 1]; }
};

// Nowhere, if it is not one of these.
Place place_of(std::string_view metric) {
    for (const PathField& field : path_fields)
        if (is_named(metric, field.metric, 0))
            return {field.field};
    for (unsigned kind = 1; kind <= wait_kinds; kind++) {
        if (is_named(metric, MetricId::waiting_time, kind))
            return {nullptr, &PathWaits::ns, kind};
        if (is_named(metric, MetricId::waiting_waits, kind))
            return {nullptr, &PathWaits::waits, kind};
    }
    return {};
}

}  // namespace

double PathWaits::waited_ns() const { return std::accumulate(ns.begin(), ns.end(), 0.0); }
double PathWaits::number_of_waits() const {
    return std::accumulate(waits.begin(), waits.end(), 0.0);
}

std::vector<PathWaits> path_waits(const Profile& profile) {
    std::vector<Place> places;  // by metric
    for (const Metric& metric : profile.metrics)
        places.push_back(place_of(metric.name));
    std::vector<PathWaits> rows;
    for (const MetricValue& value : profile.metric_values) {
        const Place& place = places[value.metric];
        if (!place || value.value == 0)
            continue;
        if (rows.empty() || rows.back().path != value.path)
            rows.push_back({value.path});
        place.in(rows.back()) += value.value;
    }
    return rows;
}

ThreadStates states_of(const Profile& profile, const ThreadFigures& thread) {
    ThreadStates states;
    for (const RowMetric& value : thread.metrics)
        for (const ThreadField& field : thread_fields)
            if (is_named(profile.metrics[value.metric].name, field.metric, 0))
                states.*field.field += value.value;
    return states;
}

ThreadStates states_of_threads(const Profile& profile) {
    ThreadStates sum;
    for (const ThreadFigures& thread : profile.threads) {
        const ThreadStates states = states_of(profile, thread);
        for (const ThreadField& field : thread_fields)
            sum.*field.field += states.*field.field;
    }
    return sum;
}

bool has_waiting(const Profile& profile) { return states_of_threads(profile).was_watched(); }

}  // namespace vftrace
