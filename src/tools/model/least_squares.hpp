// Linear least squares of relative errors with few coefficients.
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
    // The inverse of the normal matrix: multiplied by the variance of a relative error of weight 1,
    // it is the covariance of the coefficients.
    std::array<std::array<double, most_coefficients>, most_coefficients> inverse{};
    double squares = 0;  // sum of weighted squares of relative errors

    // The square of a coefficient in standard errors if relative errors have this variance.
    double t_squared(std::size_t i, double variance) const {
        return coefficient[i] * coefficient[i] / (variance * inverse[i][i]);
    }
    // The variance of the prediction at a point, from the columns' values there.
    double variance_at(std::span<const double> columns, double variance) const;
};

// The values that models are fitted to. The error of a point is relative to its scale, and its
// weight is PointValue::weight.
class Regression {
  public:
    explicit Regression(const PointValues& values);

    std::size_t points() const { return target_.size(); }
    // `columns` have one value per point, in the order of the values. Nothing if they depend on
    // each other, or a coefficient depends on one point alone.
    std::optional<LeastSquares> fit(std::span<const double* const> columns) const;

  private:
    std::vector<double> target_, factor_;  // by point: weighted value; the factor of columns
};

}  // namespace vftrace
