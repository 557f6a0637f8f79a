// Which runs to make next, so that models become more certain.
#pragma once

#include <string>
#include <vector>

#include "model/path_models.hpp"

namespace vftrace {

// Points one step beyond those measured, and between them, along each parameter; the others have
// their smallest values, which are cheap.
std::vector<std::vector<double>> candidate_points(const std::vector<std::vector<double>>& runs);

struct NextPoint {
    std::vector<double> parameters;
    double cost = 0;   // the program's figure there; NaN if it does not have a model
    double doubt = 0;  // half the width of intervals there, relative to their values; mean over
                       // paths, weighted by their values at the target
};

// The candidates where models differ most for the cost of a run, best first, at most `limit`;
// only those where they differ by more than noise. `intervals`: the place of the first candidate
// in PathModel::intervals.
std::vector<NextPoint> next_points(const std::vector<std::vector<double>>& candidates,
                                   std::size_t intervals, const MetricModels& models,
                                   std::size_t limit);

}  // namespace vftrace
