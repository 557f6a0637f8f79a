// How two values of a metric are combined.
#pragma once

#include <algorithm>

#include "record/metrics.hpp"

namespace vftrace {

// For a mean this is the sum, which is divided once all values are known.
inline double together(double a, double b, Reduction reduction) {
    switch (reduction) {
    case Reduction::max:
        return std::max(a, b);
    case Reduction::min:
        return std::min(a, b);
    default:
        return a + b;
    }
}

}  // namespace vftrace
