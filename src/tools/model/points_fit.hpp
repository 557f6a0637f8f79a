// The best formula for the values of one figure at several points.
//
// It is searched for twice: errors are first relative to the measured values, then to those of the
// best formula, because a value that is too small by chance would otherwise count more than one
// that is too large.
#pragma once

#include <memory>

#include "model/allowed_parameters.hpp"
#include "model/hypotheses.hpp"

namespace vftrace {

class PointsFit {
  public:
    // `parameters`: those that vary at the points, and may be in the formula.
    PointsFit(PointValues values, const PointGrid& grid, std::vector<std::uint32_t> parameters,
              const AllowedParameters& allowed, const ExponentSet& exponents);

    const PointValues& values() const { return *values_; }
    const Hypotheses& hypotheses() const { return *hypotheses_; }
    const Hypothesis& best() const { return best_; }
    ScalingModel model() const { return hypotheses_->model(best_); }

    // Root mean square of the relative distances of points from the formula, by degree of freedom.
    double misfit() const;
    // Whether repetitions explain these distances. Without repetitions: whether they are small.
    bool is_explained() const;

  private:
    void search(const PointGrid& grid, std::span<const std::uint32_t> parameters,
                const AllowedParameters& allowed, const ExponentSet& exponents);

    std::unique_ptr<PointValues> values_;  // hypotheses_ refers to it
    std::unique_ptr<Hypotheses> hypotheses_;
    Hypothesis best_;
};

}  // namespace vftrace
