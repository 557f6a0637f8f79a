// The models of all call paths of a program, and of the whole program, sorted by importance.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "model/modeller.hpp"
#include "model/run_table.hpp"

namespace vftrace {

enum class ModelOrder {
    growth,     // how much larger the model is at the target than at the largest point measured
    factor,     // how many times as large
    predicted,  // the model, or its bound, at the target
    measured,   // the model at the largest point measured
    order       // the growth when all parameters grow without limit
};

struct PathModelRow {
    std::uint32_t path = no_index;  // index into RunTable::paths()
    std::uint32_t runs = 0;         // that have it
    PathModel model;

    double growth() const { return model.expected() - model.largest; }
    // Infinite if there was nothing.
    double factor() const;
};

struct MetricModels {
    std::optional<PathModel> program;  // nothing: the whole program does not have such a figure
    std::vector<PathModelRow> rows;
    std::size_t in_too_few_runs = 0;  // paths without a model
    std::size_t below_share = 0;      // paths that are left out
};

// The parameters allowed in the model of a path: all of them, unless an analysis of the program
// allows fewer.
using AllowedFor = std::function<AllowedParameters(std::uint32_t path)>;

// The models of metric `metric` of the table. Paths that have less than `least_share` of the
// program's value in each run are left out.
MetricModels model_paths(const RunTable& table, std::size_t metric, const Modeller& modeller,
                         double least_share, ModelOrder order, const AllowedFor& allowed);

}  // namespace vftrace
