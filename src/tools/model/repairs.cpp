#include "model/repairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/significance.hpp"

namespace vftrace {
namespace {

constexpr std::size_t points_for_repair = 5, points_for_ends = 6;
// A repair must lower the distances of the points by this factor, or chance could do it: each one
// is tried at every point.
constexpr double least_improvement = 4;
// With many points, a wrong one is this many times as far from the formula as the others, and only
// those farthest away are tried.
constexpr double stands_out = 3;
constexpr std::size_t many_points = 12, points_to_try = 3;

PointsFit fit_of(const PointValues& values, const SearchSpace& space, bool only_constant = false) {
    return {values, space.grid, only_constant ? std::vector<std::uint32_t>{} : space.parameters,
            space.allowed, space.exponents};
}

// Places of the points, those farthest from the formula first.
std::vector<std::size_t> farthest_points(const PointsFit& all) {
    const std::vector<PointValue>& points = all.values().points;
    std::vector<double> apart;
    for (std::size_t i = 0; i < points.size(); i++)
        apart.push_back(std::abs(all.hypotheses().at(all.best(), i) - points[i].value) /
                        points[i].scale);
    std::vector<std::size_t> places(points.size());
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return apart[a] > apart[b]; });
    if (places.size() > many_points) {
        places.resize(points_to_try);
        if (apart[places.front()] < stands_out * all.misfit())
            places.clear();
    }
    return places;
}

// Whether the point has the least or the largest value of a parameter.
bool is_end(std::size_t place, const PointValues& values, const SearchSpace& space) {
    const auto value = [&](const PointValue& of, std::uint32_t parameter) {
        return space.grid.points()[of.point][parameter];
    };
    return std::any_of(space.parameters.begin(), space.parameters.end(),
                       [&](std::uint32_t parameter) {
                           const double here = value(values.points[place], parameter);
                           bool is_least = true, is_largest = true;
                           for (const PointValue& other : values.points) {
                               is_least &= here <= value(other, parameter);
                               is_largest &= here >= value(other, parameter);
                           }
                           return is_least || is_largest;
                       });
}

bool is_repaired(double misfit, bool explained, double before) {
    constexpr double small = 0.05;
    return misfit * least_improvement < before && (explained || misfit < small);
}

}  // namespace

std::optional<WithoutPoint> without_bad_point(const PointsFit& all, const SearchSpace& space) {
    const PointValues& values = all.values();
    if (values.points.size() < points_for_repair || values.is_zero)
        return std::nullopt;
    std::optional<WithoutPoint> best;
    double least = all.misfit();
    for (const std::size_t place : farthest_points(all)) {
        if (values.points.size() < points_for_ends && is_end(place, values, space))
            continue;
        PointsFit fit = fit_of(values.without(place), space);
        const double misfit = fit.misfit();
        if (misfit >= least || !is_repaired(misfit, fit.is_explained(), all.misfit()))
            continue;
        least = misfit;
        best = {place, std::move(fit)};
    }
    return best;
}

std::optional<TwoFits> two_fits(const PointsFit& all, const SearchSpace& space) {
    const PointValues& values = all.values();
    const std::size_t points = values.points.size();
    if (space.parameters.size() != 1 || points < points_for_repair || values.is_zero)
        return std::nullopt;
    std::optional<TwoFits> best;
    double least = all.misfit();
    for (std::size_t first = 2; first + 2 <= points; first++) {
        PointsFit below = fit_of(values.part(0, first), space, first < least_values);
        PointsFit above = fit_of(values.part(first, points), space, points - first < least_values);
        const double misfit = std::hypot(below.misfit(), above.misfit());
        if (misfit >= least ||
            !is_repaired(misfit, below.is_explained() && above.is_explained(), all.misfit()))
            continue;
        least = misfit;
        best = {std::move(below), std::move(above)};
    }
    return best;
}

// Along each line the exponent of the smallest growth from any point to the last; of the lines, the
// one that grows least.
GrowthBound growth_bound(const PointValues& values, const SearchSpace& space) {
    GrowthBound bound;
    const std::vector<std::vector<double>>& points = space.grid.points();
    bound.powers.assign(points.front().size(), 0);
    const double noise = values.noise();
    std::vector<const PointValue*> value_at(points.size());
    double largest = -1;
    for (const PointValue& value : values.points) {
        value_at[value.point] = &value;
        double size = 1;
        for (const std::uint32_t parameter : space.parameters)
            size *= points[value.point][parameter];
        if (size > largest) {
            largest = size;
            bound.largest = points[value.point];
            bound.value = value.value;
        }
    }
    for (const std::uint32_t parameter : space.parameters) {
        double least = std::numeric_limits<double>::infinity();
        for (const std::vector<std::uint32_t>& line : space.grid.lines(parameter)) {
            std::vector<const PointValue*> measured;
            for (const std::uint32_t point : line)
                if (value_at[point] && value_at[point]->value > 0)
                    measured.push_back(value_at[point]);
            if (measured.size() < least_values)
                continue;
            const auto error = [&](const PointValue& value) {
                return 2 * noise / std::sqrt(value.weight);
            };
            const PointValue& last = *measured.back();
            for (std::size_t i = 0; i + 1 < measured.size(); i++) {
                const PointValue& from = *measured[i];
                const double growth = std::log(last.value / from.value) - error(last) - error(from);
                least = std::min(least, growth / std::log(points[last.point][parameter] /
                                                          points[from.point][parameter]));
            }
        }
        bound.powers[parameter] = std::isfinite(least) ? least : 0;
    }
    return bound;
}

}  // namespace vftrace
