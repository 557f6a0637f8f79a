// Limits that are rarely exceeded by chance: quantiles of the F and t distributions.
#pragma once

#include <cstddef>

namespace vftrace {

// The limit that a value of Fisher's F with `over` and `below` degrees of freedom exceeds with the
// probability `alpha`. Infinite without degrees of freedom.
double f_limit(std::size_t over, std::size_t below, double alpha);

// Half the width of Student's 95 % interval, in standard errors.
double t_of_95_percent(std::size_t freedom);

}  // namespace vftrace
