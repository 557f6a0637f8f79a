// Linear least squares of relative errors with few coefficients, and the effect of leaving out a
// point.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/point_values.hpp"

namespace vftrace {

inline constexpr std::size_t most_coefficients = 4;

struct LeastSquares {
    std::size_t coefficients = 0;
    std::array<double, most_coefficients> coefficient{};
    // The inverse of the normal matrix: times the variance of a relative error of weight 1 it is
    // the covariance of the coefficients.
    std::array<std::array<double, most_coefficients>, most_coefficients> inverse{};
    // Sums of weighted squares of relative errors: of the fit, and of each point by a fit without
    // it (PRESS; Allen, "The Relationship between Variable Selection and Data Augmentation",
    // Technometrics 16, 1974).
    double squares = 0, left_out_squares = 0;

    // The square of a coefficient in standard errors if relative errors have this variance.
    double t_squared(std::size_t i, double variance) const {
        return coefficient[i] * coefficient[i] / (variance * inverse[i][i]);
    }
    // The variance of what is predicted at a point, of the columns' values there.
    double variance_at(std::span<const double> columns, double variance) const;
};

// The values that models are fitted to. An error of a point is relative to its scale and weighs as
// much as it has runs.
class Regression {
  public:
    explicit Regression(const PointValues& values);

    std::size_t points() const { return target_.size(); }
    // `columns` have a value a point, in the order of the values. Nothing if they depend on each
    // other, or a coefficient on one point alone.
    std::optional<LeastSquares> fit(std::span<const double* const> columns) const;

  private:
    template <int coefficients>
    std::optional<LeastSquares> fit_of(const double* const* columns) const;

    std::vector<double> target_, factor_;  // by point: weighted value; what columns are times
};

}  // namespace vftrace
