// Finds performance models for measurements of several runs of a program.
//
//     Modeller modeller({"n"}, {{100}, {200}, {400}, {800}, {1600}}, {1e6});
//     const PathModel model = modeller.model(seconds_by_run, AllowedParameters::all(1));
//     formula(model.model, modeller.parameters());   // "2.1 + 0.034 * n^(3/2) * log2(n)"
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/allowed_parameters.hpp"
#include "model/exponents.hpp"
#include "model/path_model.hpp"
#include "model/point_grid.hpp"
#include "model/point_values.hpp"

namespace vftrace {

inline constexpr std::size_t most_parameters = 4;

// How models are searched for.
struct ModelOptions {
    ExponentSet exponents;
    PointStatistic statistic = PointStatistic::mean;
    // Values of the parameters at which PathModel::intervals are wanted, as for plots.
    std::vector<std::vector<double>> intervals_at;
};

class Modeller {
  public:
    // `runs`: the values of all parameters of each run. `target`: those to predict for. All are
    // above 0, and there are no more than most_parameters parameters.
    Modeller(std::vector<std::string> parameters, std::vector<std::vector<double>> runs,
             std::vector<double> target, ModelOptions options = {});

    // `values` by run, NaN if the run does not have one. Nothing if there are too few: a parameter
    // that is allowed in the model and varies must have three values while the others are equal.
    std::optional<PathModel> model(std::span<const double> values, const AllowedParameters& allowed,
                                   bool with_intervals = true) const;

    const std::vector<std::string>& parameters() const { return names_; }
    // The run whose parameters are largest, as their product.
    const std::vector<double>& largest() const { return runs_[largest_]; }
    const std::vector<double>& target() const { return target_; }
    const ModelOptions& options() const { return options_; }

  private:
    const PointGrid& grid(std::uint32_t parameters) const;

    std::vector<std::string> names_;
    std::vector<std::vector<double>> runs_;
    std::vector<double> target_;
    ModelOptions options_;
    std::size_t largest_ = 0;
    mutable std::map<std::uint32_t, std::unique_ptr<PointGrid>> grids_;  // by parameters that count
};

}  // namespace vftrace
