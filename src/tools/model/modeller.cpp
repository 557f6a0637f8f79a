#include "model/modeller.hpp"

#include <algorithm>
#include <cmath>

#include "model/repairs.hpp"

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
        const double modelled = result(result.grid->points()[value.point]);
        const double size = std::abs(modelled) + std::abs(value.value);
        if (size > 0)
            result.smape += 200 * std::abs(modelled - value.value) / size / points;
        apart += std::pow(modelled - value.value, 2);
        total += std::pow(value.value - mean, 2);
        if (value.scale > 0)
            relative += std::pow((modelled - value.value) / value.scale, 2);
    }
    auto terms = static_cast<double>(result.model.terms.size());
    if (result.bend)
        terms += 2 + static_cast<double>(result.bend->below.terms.size());
    result.noise = values.noise();
    if (values.repetition_freedom == 0 && points > terms + 1)
        result.noise = std::sqrt(relative / (points - terms - 1));
    if (terms == 0 || total == 0)
        return;
    result.r2 = 1 - apart / total;
    if (points > terms + 1)
        result.adjusted_r2 = 1 - (1 - result.r2) * (points - 1) / (points - terms - 1);
}

// The hypotheses that decide about intervals.
class Candidates {
  public:
    explicit Candidates(const PointsFit& fit) : fit_(fit) {
        for (const Hypothesis* one : fit.hypotheses().about_as_good(fit.best()))
            candidates_.push_back({one, fit.hypotheses().spread(*one)});
    }

    Interval at(std::span<const double> parameters) const {
        Interval result;
        for (std::size_t i = 0; i < candidates_.size(); i++) {
            const auto& [hypothesis, spread] = candidates_[i];
            const auto [value, doubt] =
                fit_.hypotheses().prediction(*hypothesis, parameters, spread);
            if (i == 0)  // the best
                result = {value, value, value};
            result.from = std::min(result.from, value - doubt);
            result.to = std::max(result.to, value + doubt);
        }
        if (result.value >= 0)
            result.from = std::max(result.from, 0.0);
        return result;
    }

  private:
    struct Candidate {
        const Hypothesis* hypothesis;
        double spread;
    };
    const PointsFit& fit_;
    std::vector<Candidate> candidates_;
};

// Where predictions are wanted.
struct Wanted {
    std::span<const double> target;
    std::span<const std::vector<double>> others;
};

// `interval`: of the values of the parameters.
template <class IntervalAt>
void set_intervals(PathModel& result, const Wanted& wanted, IntervalAt interval) {
    result.target = interval(wanted.target);
    result.intervals.clear();
    for (const std::vector<double>& parameters : wanted.others)
        result.intervals.push_back(interval(parameters));
}

void set_formula(PathModel& result, const PointsFit& fit, const Wanted& wanted) {
    result.model = fit.model();
    result.finding = !result.model.is_constant()                ? GrowthFinding::formula
                     : fit.hypotheses().is_doubtful(fit.best()) ? GrowthFinding::unclear
                                                                : GrowthFinding::constant;
    const Candidates candidates(fit);
    set_intervals(result, wanted,
                  [&](std::span<const double> parameters) { return candidates.at(parameters); });
}

void set_break(PathModel& result, const TwoFits& fits, std::uint32_t parameter,
               const Wanted& wanted) {
    const auto at = [&](const PointValue& value) {
        return result.grid->points()[value.point][parameter];
    };
    result.finding = GrowthFinding::two_formulas;
    result.bend = Break{parameter, at(fits.below.values().points.back()),
                        at(fits.above.values().points.front()), fits.below.model()};
    result.model = fits.above.model();
    const Candidates below(fits.below), above(fits.above);
    set_intervals(result, wanted, [&](std::span<const double> parameters) {
        return (result.bend->is_below(parameters[parameter]) ? below : above).at(parameters);
    });
}

void set_bound(PathModel& result, const PointValues& values, const SearchSpace& space,
               const Wanted& wanted) {
    result.finding = GrowthFinding::no_formula;
    result.model = {};
    result.bound = growth_bound(values, space);
    set_intervals(result, wanted, [&](std::span<const double> parameters) {
        return Interval{std::numeric_limits<double>::quiet_NaN(), (*result.bound)(parameters),
                        std::numeric_limits<double>::infinity()};
    });
}

// Distances from the formula that are too small to look for another explanation, and too large to
// call it one, unless repetitions show that they are noise.
constexpr double small_misfit = 0.05, large_misfit = 0.1;

void judge(PathModel& result, const PointValues& values, const SearchSpace& space,
           const Wanted& wanted) {
    const PointsFit fit(values, space.grid, space.parameters, space.allowed, space.exponents);
    set_formula(result, fit, wanted);
    if (space.parameters.empty() || fit.misfit() <= small_misfit || fit.is_explained())
        return;
    if (const std::optional<WithoutPoint> repaired = without_bad_point(fit, space)) {
        result.left_out.push_back(static_cast<std::uint32_t>(repaired->place));
        set_formula(result, repaired->fit, wanted);
    } else if (const std::optional<TwoFits> fits = two_fits(fit, space)) {
        set_break(result, *fits, space.parameters.front(), wanted);
    } else if (fit.misfit() > large_misfit) {
        set_bound(result, values, space, wanted);
    } else if (result.finding == GrowthFinding::constant) {
        result.finding = GrowthFinding::unclear;
    }
}

}  // namespace

Modeller::Modeller(std::vector<std::string> parameters, std::vector<std::vector<double>> runs,
                   std::vector<double> target, ModelOptions options)
    : names_(std::move(parameters)), runs_(std::move(runs)), target_(std::move(target)),
      options_(std::move(options)) {
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
                                         const AllowedParameters& allowed,
                                         bool with_intervals) const {
    const std::uint32_t mask = allowed.mask();
    const PointGrid& runs = grid(mask);
    const PointValues at_points =
        values_by_point(values, runs.point_of_runs(), runs.points().size(), options_.statistic);
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
    result.disturbed_runs = at_points.disturbed_runs;
    std::span<const std::vector<double>> intervals_at;
    if (with_intervals)
        intervals_at = options_.intervals_at;
    if (at_points.is_zero) {
        result.intervals.resize(intervals_at.size());
        return result;
    }
    judge(result, at_points, {runs, parameters, allowed, options_.exponents},
          {target_, intervals_at});
    result.largest = result(largest());
    set_quality(result, at_points);
    return result;
}

}  // namespace vftrace
