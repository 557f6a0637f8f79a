// Medians. For tools.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace vftrace {

// Of at least one value.
inline double median_of_sorted(std::span<const double> values) {
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return median_of_sorted(values);
}

}  // namespace vftrace
