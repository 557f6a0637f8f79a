// Metrics that are computed from others of their source (VFTRACE_FORMULA in record/sources.inc).
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Adds those that this version knows to the metrics of a process, if it has recorded what they are
// computed from.
void add_formula_metrics(Profile& profile);

// Computes all values anew, of each path, thread, rank, host or device that has what the formula
// needs. The formula of a sum is not the sum of formulas, so call it after anything that adds up
// values. Needs muParser: without it there are no values.
void compute_formula_metrics(Profile& profile);

}  // namespace vftrace
