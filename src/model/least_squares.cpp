// Linear least squares of relative errors with few coefficients.
#include "model/least_squares.hpp"

#include <cmath>

#include <Eigen/Dense>

namespace vftrace {
namespace {

// For the normal matrix of columns of length 1, whose determinant shows how much they differ.
constexpr double least_determinant = 1e-12;

}  // namespace

double LeastSquares::variance_at(std::span<const double> columns, double variance) const {
    double sum = 0;
    for (std::size_t i = 0; i < coefficients; i++)
        for (std::size_t j = 0; j < coefficients; j++)
            sum += columns[i] * inverse[i][j] * columns[j];
    return sum * variance;
}

Regression::Regression(const PointValues& values) {
    for (const PointValue& point : values.points) {
        const double weight = std::sqrt(static_cast<double>(point.runs)) / point.scale;
        factor_.push_back(weight);
        target_.push_back(weight * point.value);
    }
}

// With a number of coefficients that the compiler knows: several times as fast.
template <int coefficients>
std::optional<LeastSquares> Regression::fit_of(const double* const* columns) const {
    using Square = Eigen::Matrix<double, coefficients, coefficients>;
    using Short = Eigen::Matrix<double, coefficients, 1>;
    constexpr auto k = static_cast<std::size_t>(coefficients);
    const std::size_t n = points();
    if (n < k)
        return std::nullopt;
    Square normal = Square::Zero();
    Short with_y = Short::Zero(), row;
    const auto set_row = [&](std::size_t point, const Short& scale) {
        for (int j = 0; j < coefficients; j++)
            row[j] = factor_[point] * columns[j][point] * scale[j];
    };
    for (std::size_t point = 0; point < n; point++) {
        set_row(point, Short::Ones());
        normal.noalias() += row * row.transpose();
        with_y += target_[point] * row;
    }
    Short scale;
    for (int j = 0; j < coefficients; j++) {
        if (!(normal(j, j) > 0) || !std::isfinite(normal(j, j)))
            return std::nullopt;
        scale[j] = 1 / std::sqrt(normal(j, j));
    }
    normal = scale.asDiagonal() * normal * scale.asDiagonal();
    const Eigen::LLT<Square> factors(normal);
    const double root = factors.matrixLLT().diagonal().prod();  // of the determinant
    if (factors.info() != Eigen::Success || !(root * root > least_determinant))
        return std::nullopt;
    const Square inverse = factors.solve(Square::Identity());
    const Short solution = factors.solve(scale.cwiseProduct(with_y));

    LeastSquares result;
    result.coefficients = k;
    for (std::size_t i = 0; i < k; i++) {
        const auto at = static_cast<int>(i);
        result.coefficient[i] = solution[at] * scale[at];
        for (std::size_t j = 0; j < k; j++) {
            const auto to = static_cast<int>(j);
            result.inverse[i][j] = inverse(at, to) * scale[at] * scale[to];
        }
    }
    for (std::size_t point = 0; point < n; point++) {
        set_row(point, scale);
        const double error = target_[point] - row.dot(solution);
        const double others = 1 - row.dot(inverse * row);  // 1 - leverage
        if (n > k && others < 1e-9)
            return std::nullopt;
        result.squares += error * error;
        if (n > k)
            result.left_out_squares += error * error / (others * others);
    }
    return result;
}

std::optional<LeastSquares> Regression::fit(std::span<const double* const> columns) const {
    switch (columns.size()) {
    case 1:
        return fit_of<1>(columns.data());
    case 2:
        return fit_of<2>(columns.data());
    case 3:
        return fit_of<3>(columns.data());
    case 4:
        return fit_of<4>(columns.data());
    default:
        return std::nullopt;
    }
}

}  // namespace vftrace
