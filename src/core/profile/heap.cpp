#include "profile/heap.hpp"

#include <algorithm>
#include <cmath>

#include "profile/rank_rows.hpp"

namespace vftrace {
namespace {

using PathField = double& (*)(PathHeap& row);
struct PathHeapField {
    MetricId metric;
    PathField field;
};
constexpr PathHeapField path_metrics[] = {
    {MetricId::heap_allocated, [](PathHeap& row) -> double& { return row.allocated.value; }},
    {MetricId::heap_allocated_variance,
     [](PathHeap& row) -> double& { return row.allocated.variance; }},
    {MetricId::heap_calls, [](PathHeap& row) -> double& { return row.calls.value; }},
    {MetricId::heap_calls_variance, [](PathHeap& row) -> double& { return row.calls.variance; }},
    {MetricId::heap_temporary, [](PathHeap& row) -> double& { return row.temporary; }},
    {MetricId::heap_samples, [](PathHeap& row) -> double& { return row.samples; }},
    {MetricId::heap_live, [](PathHeap& row) -> double& { return row.live.value; }},
    {MetricId::heap_live_variance, [](PathHeap& row) -> double& { return row.live.variance; }},
    {MetricId::heap_at_peak, [](PathHeap& row) -> double& { return row.at_peak.value; }},
    {MetricId::heap_at_peak_variance,
     [](PathHeap& row) -> double& { return row.at_peak.variance; }}};

constexpr MetricMember<RankHeap> rank_metrics[] = {
    {MetricId::heap_sample_bytes, &RankHeap::sample_bytes},
    {MetricId::heap_process_live, &RankHeap::live},
    {MetricId::heap_peak, &RankHeap::peak},
    {MetricId::heap_peak_time, &RankHeap::peak_time_ns},
    {MetricId::heap_not_recorded, &RankHeap::not_recorded},
    {MetricId::heap_use_samples, &RankHeap::use_samples}};

}  // namespace

std::uint32_t allocating_path(const Profile& profile, std::uint32_t path) {
    const Path& own = profile.paths[path];
    const bool is_operator = profile.functions[own.function].display.starts_with("operator new");
    return is_operator && own.parent != no_index ? own.parent : path;
}

ErrorBounds interval_95(const Estimate& estimate) {
    const auto [value, variance] = estimate;
    if (!(variance > 0) || !(value > 0))
        return {value, value};
    constexpr double z = z_95;
    const double weight = variance / value, events = value / weight;
    const double middle = events + z * z / 2, half = z * std::sqrt(events + z * z / 4);
    return {std::max(middle - half, 0.0) * weight, (middle + half) * weight};
}

double error_percent(const Estimate& estimate) {
    const auto [low, high] = interval_95(estimate);
    return estimate.value > 0 ? 100 * (high - low) / 2 / estimate.value : 0;
}

std::vector<PathHeap> path_heap(const Profile& profile) {
    const auto metric_rows = elements_by_metric(profile, path_metrics);
    std::vector<std::uint32_t> row_of(profile.paths.size(), no_index);
    std::vector<PathHeap> rows;
    for (const MetricValue& value : profile.metric_values) {
        const PathHeapField* const field = metric_rows[value.metric];
        if (!field || value.value == 0)
            continue;
        const std::uint32_t path = allocating_path(profile, value.path);
        std::uint32_t& row = row_of[path];
        if (row == no_index) {
            row = static_cast<std::uint32_t>(rows.size());
            rows.push_back({path, {}, {}, {}, {}});
        }
        field->field(rows[row]) += value.value;
    }
    std::sort(rows.begin(), rows.end(),
              [](const PathHeap& a, const PathHeap& b) { return a.path < b.path; });
    return rows;
}

std::vector<RankHeap> rank_heap(const Profile& profile) { return rank_rows(profile, rank_metrics); }

const RankHeap* rank_with_highest_peak(const std::vector<RankHeap>& ranks) {
    const auto highest =
        std::max_element(ranks.begin(), ranks.end(),
                         [](const RankHeap& a, const RankHeap& b) { return a.peak < b.peak; });
    return highest == ranks.end() ? nullptr : &*highest;
}

bool has_heap(const Profile& profile) {
    return std::any_of(profile.metrics.begin(), profile.metrics.end(), [](const Metric& metric) {
        return is_named(metric.name, MetricId::heap_allocated, 0);
    });
}

}  // namespace vftrace
