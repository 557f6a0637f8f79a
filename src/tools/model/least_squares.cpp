#include "model/least_squares.hpp"

#include <cmath>

#include <Eigen/Cholesky>

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
        const double weight = std::sqrt(point.weight) / point.scale;
        factor_.push_back(weight);
        target_.push_back(weight * point.value);
    }
}

std::optional<LeastSquares> Regression::fit(std::span<const double* const> columns) const {
    // Matrices on the stack. Four sizes that the compiler knows would take four times as long to
    // compile.
    using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_coefficients,
                                 most_coefficients>;
    using Short = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_coefficients, 1>;
    const std::size_t n = points(), k = columns.size();
    if (k == 0 || k > most_coefficients || n < k)
        return std::nullopt;
    const auto coefficients = static_cast<int>(k);
    Square normal = Square::Zero(coefficients, coefficients);
    Short with_y = Short::Zero(coefficients), row(coefficients), scale(coefficients);
    const auto set_row = [&](std::size_t point) {
        for (int j = 0; j < coefficients; j++)
            row[j] = factor_[point] * columns[static_cast<std::size_t>(j)][point] * scale[j];
    };
    scale.setOnes();
    for (std::size_t point = 0; point < n; point++) {
        set_row(point);
        normal.noalias() += row * row.transpose();
        with_y += target_[point] * row;
    }
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
    const Square inverse = factors.solve(Square::Identity(coefficients, coefficients));
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
        set_row(point);
        const double error = target_[point] - row.dot(solution);
        const double others = 1 - row.dot(inverse * row);  // 1 - leverage
        if (k > 1 && n > k && others < 1e-9)
            return std::nullopt;
        result.squares += error * error;
    }
    return result;
}

}  // namespace vftrace
