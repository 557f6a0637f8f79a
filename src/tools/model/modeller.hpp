// Finds performance models for measurements of several runs of a program.
//
//     Modeller modeller({"n"}, {{100}, {200}, {400}, {800}, {1600}}, {1e6});
//     const PathModel model = modeller.model(seconds_by_run, AllowedParameters::all(1));
//     formula(model.model, modeller.parameters());   // "2.1 + 0.034 * n^(3/2) * log2(n)"
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/point_grid.hpp"
#include "model/point_values.hpp"
#include "model/scaling_model.hpp"

namespace vftrace {

// The parameters allowed in a path's model, according to an analysis of the program: sets of
// parameters, by index. Those in one set may be multiplied with each other. Without any set, the
// path can only be constant.
struct AllowedParameters {
    std::vector<std::vector<std::uint32_t>> sets;

    static AllowedParameters all(std::size_t parameters);
    // Whether a product may contain all of these, bits by index.
    bool may_multiply(std::uint32_t parameters) const;
    // All parameters that are in a set.
    std::uint32_t mask() const;
};

inline constexpr std::size_t most_parameters = 4;
// Values of a parameter: with fewer than the least, any model fits, and a model from fewer than are
// wanted is doubtful.
inline constexpr std::size_t least_values = 3, wanted_values = 5;

struct PathModel {
    ScalingModel model;
    std::vector<PointValue> points;   // PointValue::point is a point of `grid`
    const PointGrid* grid = nullptr;  // the modeller's

    // Symmetric mean absolute percentage error over the points, in %.
    double smape = 0;
    // Coefficient of determination over the points, and adjusted for the number of terms; NaN for a
    // constant model.
    double r2 = std::numeric_limits<double>::quiet_NaN();
    double adjusted_r2 = std::numeric_limits<double>::quiet_NaN();
    // Relative standard deviation of a run: from repetitions, or else from the distances from the
    // model.
    double noise = 0;

    double largest = 0;  // the model's value at the largest measured point (Modeller::largest)
    // At the target: the model, and the 95 % confidence interval. The interval covers all models
    // that describe the values about as well.
    double predicted = 0, at_least = 0, at_most = 0;

    bool is_noisy() const { return noise > 0.15 || smape > 15; }
};

class Modeller {
  public:
    // `runs`: the values of all parameters of each run. `target`: those to predict for. All are
    // above 0, and there are no more than most_parameters parameters.
    Modeller(std::vector<std::string> parameters, std::vector<std::vector<double>> runs,
             std::vector<double> target);

    // `values` by run, NaN if the run does not have one. Nothing if there are too few: a parameter
    // that is allowed in the model and varies must have three values while the others are equal.
    std::optional<PathModel> model(std::span<const double> values,
                                   const AllowedParameters& allowed) const;

    const std::vector<std::string>& parameters() const { return names_; }
    // The run whose parameters are largest, as their product.
    const std::vector<double>& largest() const { return runs_[largest_]; }
    const std::vector<double>& target() const { return target_; }

  private:
    const PointGrid& grid(std::uint32_t parameters) const;

    std::vector<std::string> names_;
    std::vector<std::vector<double>> runs_;
    std::vector<double> target_;
    std::size_t largest_ = 0;
    mutable std::map<std::uint32_t, std::unique_ptr<PointGrid>> grids_;  // by parameters that count
};

}  // namespace vftrace
