#include "model/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/median.hpp"
namespace vftrace {
namespace {

// A run does not count if it is this many standard deviations from the median of its point. Few
// runs show the standard deviation badly, so that it is far more than in a normal distribution.
constexpr double far_from_others = 7;
// Of the distances of runs from the medians of their points, the one below which this part of them
// is, and the same for a normal distribution.
constexpr double usual_part = 0.7, usual_of_normal = 1.036;

double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// `values` are sorted.
// Relative standard deviation of the runs of all points, from their distances from the medians
// of their points, of which disturbed runs change only the largest. Lists are sorted.
double usual_distance(const std::vector<std::vector<double>>& runs_at) {
    std::vector<double> distances;
    for (const std::vector<double>& runs : runs_at) {
        if (runs.size() < 3)
            continue;
        const double median = median_of_sorted(runs);
        // The median itself is at distance 0 if the number of runs is odd.
        const std::size_t left_out = runs.size() % 2 == 1 ? runs.size() / 2 : runs.size();
        for (std::size_t i = 0; i < runs.size(); i++)
            if (i != left_out && median != 0)
                distances.push_back(std::abs(runs[i] / median - 1));
    }
    if (distances.empty())
        return 0;
    const auto usual =
        distances.begin() +
        static_cast<std::ptrdiff_t>(usual_part * static_cast<double>(distances.size() - 1));
    std::nth_element(distances.begin(), usual, distances.end());
    return *usual / usual_of_normal;
}

std::vector<double> undisturbed(const std::vector<double>& runs, double usual) {
    std::vector<double> result;
    const double median = median_of_sorted(runs);
    if (runs.size() < 3 || median == 0)
        return runs;
    for (const double run : runs)
        if (std::abs(run / median - 1) <= far_from_others * usual)
            result.push_back(run);
    return result.empty() ? std::vector<double>{median} : result;
}

// Variances of the median and of the minimum of normal runs, times the number of runs: tables of
// order statistics (David, Nagaraja, "Order Statistics", 3rd ed., chapter 3), for 3 to 5 runs.
double weight_of(PointStatistic statistic, std::size_t runs) {
    const auto n = static_cast<double>(runs);
    if (runs < 2 || statistic == PointStatistic::mean)
        return n;
    if (statistic == PointStatistic::median)
        return runs == 2 ? n : n / 1.4;
    return n / (1 + 0.25 * (std::min(n, 6.0) - 1));
}

double value_of(PointStatistic statistic, std::span<const double> runs) {
    switch (statistic) {
    case PointStatistic::mean:
        return sum_of(runs) / static_cast<double>(runs.size());
    case PointStatistic::median:
        return median_of_sorted(runs);
    case PointStatistic::minimum:
        break;
    }
    return runs.front();
}

// Points whose value is 0 do not have their own scale: the smallest other value is used.
std::vector<double> usual_scales(const std::vector<PointValue>& points) {
    double smallest = 0;
    for (const PointValue& point : points)
        if (const double size = std::abs(point.value); size > 0)
            smallest = smallest == 0 ? size : std::min(smallest, size);
    std::vector<double> scales;
    scales.reserve(points.size());
    for (const PointValue& point : points)
        scales.push_back(std::max(std::abs(point.value), smallest));
    return scales;
}

}  // namespace

double PointValues::noise() const {
    return repetition_freedom == 0
               ? 0
               : std::sqrt(repetition_squares / static_cast<double>(repetition_freedom));
}

void PointValues::set_scales(std::span<const double> scales) {
    repetition_squares = 0;
    repetition_freedom = 0;
    is_zero = true;
    for (std::size_t i = 0; i < points.size(); i++) {
        PointValue& point = points[i];
        point.scale = scales[i];
        is_zero &= point.scale == 0;
        if (point.scale == 0)
            continue;
        repetition_squares += point.squares / (point.scale * point.scale);
        repetition_freedom += point.free;
    }
}

PointValues PointValues::without(std::size_t place) const {
    PointValues result = *this;
    result.points.erase(result.points.begin() + static_cast<std::ptrdiff_t>(place));
    result.set_scales(usual_scales(result.points));
    return result;
}

PointValues PointValues::part(std::size_t first, std::size_t last) const {
    PointValues result;
    result.points.assign(points.begin() + static_cast<std::ptrdiff_t>(first),
                         points.begin() + static_cast<std::ptrdiff_t>(last));
    result.set_scales(usual_scales(result.points));
    return result;
}

PointValues values_by_point(std::span<const double> values, std::span<const std::uint32_t> point_of,
                            std::size_t points, PointStatistic statistic) {
    std::vector<std::vector<double>> runs_at(points);
    for (std::size_t run = 0; run < values.size(); run++)
        if (!std::isnan(values[run]))
            runs_at[point_of[run]].push_back(values[run]);
    for (std::vector<double>& runs : runs_at)
        std::sort(runs.begin(), runs.end());
    const double usual = usual_distance(runs_at);
    PointValues result;
    for (std::uint32_t point = 0; point < points; point++) {
        const std::vector<double>& runs = runs_at[point];
        if (runs.empty())
            continue;
        // The other statistics take all runs: disturbed ones hardly change them.
        const std::vector<double> used =
            statistic == PointStatistic::mean ? undisturbed(runs, usual) : runs;
        result.disturbed_runs += static_cast<std::uint32_t>(runs.size() - used.size());
        PointValue one{.point = point, .runs = static_cast<std::uint32_t>(runs.size())};
        one.value = value_of(statistic, used);
        one.smallest = runs.front();
        one.largest = runs.back();
        one.weight = weight_of(statistic, used.size());
        const double mean = sum_of(used) / static_cast<double>(used.size());
        for (const double run : used)
            one.squares += (run - mean) * (run - mean);
        one.free = static_cast<std::uint32_t>(used.size() - 1);
        result.points.push_back(one);
    }
    result.set_scales(usual_scales(result.points));
    return result;
}

}  // namespace vftrace
