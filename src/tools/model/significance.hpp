// Limits that are rarely exceeded by chance: quantiles of the F distribution.
#pragma once

#include <cstddef>

namespace vftrace {

// The limit that a value of Fisher's F with `over` and `below` degrees of freedom exceeds with the
// probability `alpha`. Infinite without degrees of freedom.
double f_limit(std::size_t over, std::size_t below, double alpha);

}  // namespace vftrace
