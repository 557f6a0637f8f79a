// The values of one figure in several runs, by point: a point is a value of each parameter, and
// runs at the same point are repetitions, which show the noise of the measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vftrace {

struct PointValue {
    std::uint32_t point = 0;
    std::uint32_t runs = 0;  // that have it
    // With three or more runs, the mean of those between the smallest and the largest, which a
    // disturbed run does not affect; with fewer, the mean.
    double value = 0;
    double smallest = 0, largest = 0;
    double scale = 0;  // what errors of this point are relative to: its value, but never 0
};

struct PointValues {
    std::vector<PointValue> points;  // sorted by point
    // Sum of squares of the relative differences of the runs from the mean of their point, and how
    // many of them are independent.
    double repetition_squares = 0;
    std::size_t repetition_freedom = 0;
    bool is_zero = true;  // everywhere

    // Relative standard deviation of a run; 0 without repetitions.
    double noise() const;
};

// `values` by run, NaN if the run does not have it; `point_of` by run.
PointValues values_by_point(std::span<const double> values, std::span<const std::uint32_t> point_of,
                            std::size_t points);

}  // namespace vftrace
