// What the runs show about how one figure of a call path grows.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/point_grid.hpp"
#include "model/point_values.hpp"
#include "model/scaling_model.hpp"

namespace vftrace {

enum class GrowthFinding {
    formula,
    two_formulas,  // which meet at a value of the parameter
    constant,      // no growth, and noise leaves no doubt about it
    unclear,       // no growth that is certain, but more than chance often causes
    no_formula     // the values change, but not like any formula: there is a bound
};

// Where one formula ends and another one begins.
struct Break {
    std::uint32_t parameter = 0;
    double last_below = 0, first_above = 0;  // measured values of the parameter
    ScalingModel below;

    // Whether the formula below is that of this value.
    bool is_below(double value) const { return value * value < last_below * first_above; }
};

// The values at the largest point are at least those of every other point times the ratio of the
// parameters to these powers.
struct GrowthBound {
    std::vector<double> powers;   // by parameter; 0 for those that do not matter
    std::vector<double> largest;  // the point
    double value = 0;             // there

    double operator()(std::span<const double> parameters) const;
};

// A value, and its 95 % confidence interval, which covers all models that describe the values about
// as well. Without formula, the value is NaN, the lower end is that of the bound, and the upper one
// infinite.
struct Interval {
    double value = 0, from = 0, to = 0;
};

struct PathModel {
    GrowthFinding finding = GrowthFinding::constant;
    ScalingModel model;         // above the break if there is one; meaningless without formula
    std::optional<Break> bend;  // with two formulas
    std::optional<GrowthBound> bound;     // without formula
    std::vector<PointValue> points;       // PointValue::point is a point of `grid`
    std::vector<std::uint32_t> left_out;  // places of points that fit no formula of the others
    const PointGrid* grid = nullptr;      // the modeller's

    // Symmetric mean absolute percentage error over all points, in %.
    double smape = 0;
    // Coefficient of determination over the points, and adjusted for the number of terms; NaN for a
    // constant model.
    double r2 = std::numeric_limits<double>::quiet_NaN();
    double adjusted_r2 = std::numeric_limits<double>::quiet_NaN();
    // Relative standard deviation of a run: from repetitions, or else from the distances from the
    // model.
    double noise = 0;
    std::uint32_t disturbed_runs = 0;  // that do not count

    double largest = 0;  // the model's value at the largest measured point (Modeller::largest)
    Interval target;     // at the target
    std::vector<Interval> intervals;  // at ModelOptions::intervals_at; empty for small paths

    bool has_formula() const { return finding != GrowthFinding::no_formula; }
    bool is_noisy() const { return noise > 0.15 || smape > 15; }
    // The prediction, or else the bound.
    double expected() const { return has_formula() ? target.value : target.from; }
    // The value of the formula that is right there, or of the bound.
    double operator()(std::span<const double> parameters) const;
};

// The formula, the two formulas and where they meet, or the bound, as text.
std::string description(const PathModel& model, std::span<const std::string> names);
// How it grows: growth_order() of its formula, "n^2.5 or more" without one.
std::string order_text(const PathModel& model, std::span<const std::string> names);
// "constant", "formula", ...: for scripts.
const char* finding_id(GrowthFinding finding);

}  // namespace vftrace
