// The search for hypotheses to try, for one parameter and for several.
#pragma once

#include "model/allowed_parameters.hpp"
#include "model/exponents.hpp"
#include "model/hypotheses.hpp"

namespace vftrace {

// Tries one term of one parameter, or two if there are enough points. Returns the best.
const Hypothesis& best_of_one_parameter(std::uint32_t parameter, const PointValues& values,
                                        const PointGrid& grid, const ExponentSet& exponents,
                                        Hypotheses& hypotheses);

// Tries sums and products of the terms that fit each parameter best where only that one changes.
const Hypothesis& best_of_several_parameters(std::span<const std::uint32_t> parameters,
                                             const PointValues& values, const PointGrid& grid,
                                             const AllowedParameters& allowed,
                                             const ExponentSet& exponents, Hypotheses& hypotheses);

}  // namespace vftrace
