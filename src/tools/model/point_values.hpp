// The values of one figure in several runs, by point: a point is a value of each parameter, and
// runs at the same point are repetitions, which show the noise of the measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vftrace {

// What stands for the repetitions of a point.
enum class PointStatistic {
    mean,  // without runs that are far from the others
    median,
    minimum
};

struct PointValue {
    std::uint32_t point = 0;
    std::uint32_t runs = 0;  // that have it
    double value = 0;        // their statistic
    double smallest = 0, largest = 0;
    // Variance of a run divided by that of `value`: the number of runs, or less if the statistic
    // does not use all that they show.
    double weight = 0;
    double squares = 0;      // of the differences of the runs that count from their mean
    std::uint32_t free = 0;  // how many of these are independent
    double scale = 0;        // what errors of this point are relative to: its value, but never 0
};

struct PointValues {
    std::vector<PointValue> points;  // sorted by point
    // Sum of squares of the relative differences of the runs from the mean of their point, and how
    // many of them are independent.
    double repetition_squares = 0;
    std::size_t repetition_freedom = 0;
    bool is_zero = true;               // everywhere
    std::uint32_t disturbed_runs = 0;  // that do not count

    // Takes other scales, by point, and computes the sums again.
    void set_scales(std::span<const double> scales);
    // Without the point at this place of `points`.
    PointValues without(std::size_t place) const;
    // Only the points from `first` to before `last`, places of `points`.
    PointValues part(std::size_t first, std::size_t last) const;

    // Relative standard deviation of a run; 0 without repetitions.
    double noise() const;
};

// `values` by run, NaN if the run does not have it; `point_of` by run.
PointValues values_by_point(std::span<const double> values, std::span<const std::uint32_t> point_of,
                            std::size_t points, PointStatistic statistic = PointStatistic::mean);

}  // namespace vftrace
