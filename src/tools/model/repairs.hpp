// What else may describe points that one formula does not fit: the same points without one that is
// wrong, two formulas that meet, or at least a bound of the growth.
#pragma once

#include <optional>

#include "model/path_model.hpp"
#include "model/points_fit.hpp"

namespace vftrace {

// What a search for formulas needs besides the values.
struct SearchSpace {
    const PointGrid& grid;
    std::vector<std::uint32_t> parameters;  // that vary at the points, and are allowed
    const AllowedParameters& allowed;
    const ExponentSet& exponents;
};

struct WithoutPoint {
    std::size_t place = 0;  // of the point that is left out
    PointsFit fit;
};
// The point without which a formula fits the others far better than all, from five points on. The
// ends count only from six on: a point there may as well be the first of another formula.
std::optional<WithoutPoint> without_bad_point(const PointsFit& all, const SearchSpace& space);

struct TwoFits {
    PointsFit below, above;
};
// Two formulas for the lower and the upper points of a single parameter, which fit far better than
// one. A formula needs three points, a constant two.
std::optional<TwoFits> two_fits(const PointsFit& all, const SearchSpace& space);

// From the values alone.
GrowthBound growth_bound(const PointValues& values, const SearchSpace& space);

}  // namespace vftrace
