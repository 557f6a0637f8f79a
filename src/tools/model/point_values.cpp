#include "model/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vftrace {
namespace {

double sum_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

// `values` are sorted.
double robust_mean(std::span<const double> values) {
    if (values.size() >= 3)
        values = values.subspan(1, values.size() - 2);
    return sum_of(values) / static_cast<double>(values.size());
}

// Points whose value is 0 do not have their own scale: the smallest other value is used.
void set_scales(std::vector<PointValue>& points) {
    double smallest = 0;
    for (const PointValue& point : points)
        if (const double size = std::abs(point.value); size > 0)
            smallest = smallest == 0 ? size : std::min(smallest, size);
    for (PointValue& point : points)
        point.scale = std::max(std::abs(point.value), smallest);
}

}  // namespace

double PointValues::noise() const {
    return repetition_freedom == 0
               ? 0
               : std::sqrt(repetition_squares / static_cast<double>(repetition_freedom));
}

PointValues values_by_point(std::span<const double> values, std::span<const std::uint32_t> point_of,
                            std::size_t points) {
    std::vector<std::vector<double>> runs_at(points);
    for (std::size_t run = 0; run < values.size(); run++)
        if (!std::isnan(values[run]))
            runs_at[point_of[run]].push_back(values[run]);
    PointValues result;
    for (std::uint32_t point = 0; point < points; point++) {
        std::vector<double>& runs = runs_at[point];
        if (runs.empty())
            continue;
        std::sort(runs.begin(), runs.end());
        result.points.push_back({point, static_cast<std::uint32_t>(runs.size()), robust_mean(runs),
                                 runs.front(), runs.back(), 0});
    }
    set_scales(result.points);
    for (const PointValue& point : result.points) {
        result.is_zero &= point.scale == 0;
        if (point.scale == 0 || point.runs < 2)
            continue;
        const std::vector<double>& runs = runs_at[point.point];
        const double mean = sum_of(runs) / static_cast<double>(runs.size());
        for (const double value : runs)
            result.repetition_squares += std::pow((value - mean) / point.scale, 2);
        result.repetition_freedom += runs.size() - 1;
    }
    return result;
}

}  // namespace vftrace
