// The search for hypotheses to try, for one parameter and for several.
#pragma once

#include "model/hypotheses.hpp"
#include "model/modeller.hpp"

namespace vftrace {

// A term of one parameter, or two where there are points for it. Returns the best.
const Hypothesis& best_of_one_parameter(std::uint32_t parameter, const PointValues& values,
                                        const PointGrid& grid, Hypotheses& hypotheses);

// Sums and products of the terms that fit each of the parameters best where only that one changes.
const Hypothesis& best_of_several_parameters(std::span<const std::uint32_t> parameters,
                                             const PointValues& values, const PointGrid& grid,
                                             const AllowedParameters& allowed,
                                             Hypotheses& hypotheses);

}  // namespace vftrace
