#include "model/modeller.hpp"

#include <algorithm>
#include <cmath>

#include "model/hypotheses.hpp"
#include "model/search.hpp"

namespace vftrace {
namespace {

// Parameters that have several values at the points. `allowed`: bits by index.
std::vector<std::uint32_t> varying(const PointValues& values, const PointGrid& grid,
                                   std::uint32_t allowed) {
    const std::vector<std::vector<double>>& points = grid.points();
    std::vector<std::uint32_t> result;
    const std::vector<double>& first = points[values.points.front().point];
    for (std::uint32_t i = 0; i < first.size(); i++)
        if ((allowed >> i & 1) != 0 &&
            std::any_of(values.points.begin(), values.points.end(), [&](const PointValue& value) {
                return points[value.point][i] != first[i];
            }))
            result.push_back(i);
    return result;
}

// Whether three of the points differ only in this parameter.
bool has_line(std::uint32_t parameter, const PointValues& values, const PointGrid& grid) {
    std::vector<bool> measured(grid.points().size());
    for (const PointValue& value : values.points)
        measured[value.point] = true;
    return std::any_of(grid.lines(parameter).begin(), grid.lines(parameter).end(),
                       [&](const std::vector<std::uint32_t>& line) {
                           const auto on_line =
                               std::count_if(line.begin(), line.end(),
                                             [&](std::uint32_t point) { return measured[point]; });
                           return static_cast<std::size_t>(on_line) >= least_values;
                       });
}

void set_quality(PathModel& result, const PointValues& values) {
    double apart = 0, total = 0, mean = 0, relative = 0;
    const auto points = static_cast<double>(values.points.size());
    for (const PointValue& value : values.points)
        mean += value.value / points;
    for (const PointValue& value : values.points) {
        const double modelled = result.model(result.grid->points()[value.point]);
        const double size = std::abs(modelled) + std::abs(value.value);
        if (size > 0)
            result.smape += 200 * std::abs(modelled - value.value) / size / points;
        apart += std::pow(modelled - value.value, 2);
        total += std::pow(value.value - mean, 2);
        if (value.scale > 0)
            relative += std::pow((modelled - value.value) / value.scale, 2);
    }
    const auto terms = static_cast<double>(result.model.terms.size());
    result.noise = values.noise();
    if (values.repetition_freedom == 0 && points > terms + 1)
        result.noise = std::sqrt(relative / (points - terms - 1));
    if (result.model.is_constant() || total == 0)
        return;
    result.r2 = 1 - apart / total;
    if (points > terms + 1)
        result.adjusted_r2 = 1 - (1 - result.r2) * (points - 1) / (points - terms - 1);
}

void set_prediction(PathModel& result, const Hypotheses& hypotheses, const Hypothesis& best,
                    std::span<const double> target) {
    result.predicted = hypotheses.prediction(best, target)[0];
    result.at_least = result.at_most = result.predicted;
    for (const Hypothesis* one : hypotheses.about_as_good(best)) {
        const auto [value, doubt] = hypotheses.prediction(*one, target);
        result.at_least = std::min(result.at_least, value - doubt);
        result.at_most = std::max(result.at_most, value + doubt);
    }
    if (result.predicted >= 0)
        result.at_least = std::max(result.at_least, 0.0);
}

}  // namespace

AllowedParameters AllowedParameters::all(std::size_t parameters) {
    AllowedParameters result;
    result.sets.emplace_back();
    for (std::uint32_t i = 0; i < parameters; i++)
        result.sets.back().push_back(i);
    return result;
}

bool AllowedParameters::may_multiply(std::uint32_t parameters) const {
    return std::any_of(sets.begin(), sets.end(), [&](const std::vector<std::uint32_t>& set) {
        std::uint32_t others = parameters;
        for (const std::uint32_t parameter : set)
            others &= ~(1U << parameter);
        return others == 0;
    });
}

std::uint32_t AllowedParameters::mask() const {
    std::uint32_t mask = 0;
    for (const std::vector<std::uint32_t>& set : sets)
        for (const std::uint32_t parameter : set)
            mask |= 1U << parameter;
    return mask;
}

Modeller::Modeller(std::vector<std::string> parameters, std::vector<std::vector<double>> runs,
                   std::vector<double> target)
    : names_(std::move(parameters)), runs_(std::move(runs)), target_(std::move(target)) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t run = 0; run < runs_.size(); run++) {
        double size = 0;
        for (const double value : runs_[run])
            size += std::log(value);
        if (size > most) {
            most = size;
            largest_ = run;
        }
    }
}

const PointGrid& Modeller::grid(std::uint32_t parameters) const {
    std::unique_ptr<PointGrid>& known = grids_[parameters];
    if (!known)
        known = std::make_unique<PointGrid>(runs_, parameters);
    return *known;
}

std::optional<PathModel> Modeller::model(std::span<const double> values,
                                         const AllowedParameters& allowed) const {
    const std::uint32_t mask = allowed.mask();
    const PointGrid& runs = grid(mask);
    const PointValues at_points =
        values_by_point(values, runs.point_of_runs(), runs.points().size());
    if (at_points.points.empty())
        return std::nullopt;
    const std::vector<std::uint32_t> parameters = varying(at_points, runs, mask);
    for (const std::uint32_t parameter : parameters)
        if (!has_line(parameter, at_points, runs))
            return std::nullopt;
    // A path whose points do not vary in any parameter shows nothing about those that it may depend
    // on.
    if (parameters.empty() && mask != 0)
        return std::nullopt;
    PathModel result;
    result.points = at_points.points;
    result.grid = &runs;
    if (at_points.is_zero)
        return result;
    Hypotheses hypotheses(at_points, runs);
    const Hypothesis best =
        parameters.empty() ? hypotheses.best(1)
        : parameters.size() == 1
            ? best_of_one_parameter(parameters.front(), at_points, runs, hypotheses)
            : best_of_several_parameters(parameters, at_points, runs, allowed, hypotheses);
    result.model = hypotheses.model(best);
    result.largest = result.model(largest());
    set_quality(result, at_points);
    set_prediction(result, hypotheses, best, target_);
    return result;
}

}  // namespace vftrace
