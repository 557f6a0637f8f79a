#include "model/points_fit.hpp"

#include <algorithm>
#include <cmath>

#include "model/search.hpp"

namespace vftrace {
namespace {

// The scale of a point is not farther from its value than this factor, so that a formula that does
// not fit cannot hide its errors.
constexpr double most_apart = 1.5;

std::vector<double> scales_of(const ScalingModel& model, const PointValues& values,
                              const PointGrid& grid) {
    std::vector<double> scales;
    for (const PointValue& value : values.points) {
        const double modelled = model(grid.points()[value.point]);
        scales.push_back(
            modelled > 0 ? std::clamp(modelled, value.scale / most_apart, value.scale * most_apart)
                         : value.scale);
    }
    return scales;
}

}  // namespace

PointsFit::PointsFit(PointValues values, const PointGrid& grid,
                     std::vector<std::uint32_t> parameters, const AllowedParameters& allowed,
                     const ExponentSet& exponents)
    : values_(std::make_unique<PointValues>(std::move(values))) {
    search(grid, parameters, allowed, exponents);
    values_->set_scales(scales_of(hypotheses_->model(best_), *values_, grid));
    search(grid, parameters, allowed, exponents);
}

void PointsFit::search(const PointGrid& grid, std::span<const std::uint32_t> parameters,
                       const AllowedParameters& allowed, const ExponentSet& exponents) {
    hypotheses_ = std::make_unique<Hypotheses>(*values_, grid);
    best_ = parameters.empty() ? hypotheses_->best(1)
            : parameters.size() == 1
                ? best_of_one_parameter(parameters.front(), *values_, grid, exponents, *hypotheses_)
                : best_of_several_parameters(parameters, *values_, grid, allowed, exponents,
                                             *hypotheses_);
}

double PointsFit::misfit() const {
    const std::size_t left = values_->points.size() - best_.fit.coefficients;
    double sum = 0;
    for (std::size_t i = 0; i < values_->points.size(); i++) {
        const PointValue& value = values_->points[i];
        if (value.scale > 0)
            sum += std::pow((hypotheses_->at(best_, i) - value.value) / value.scale, 2);
    }
    return left == 0 ? 0 : std::sqrt(sum / static_cast<double>(left));
}

bool PointsFit::is_explained() const {
    // Without repetitions, what would be much for noise.
    constexpr double small = 0.05;
    if (values_->repetition_freedom == 0)
        return misfit() <= small;
    return hypotheses_->is_explained(best_, 1e-4);
}

}  // namespace vftrace
