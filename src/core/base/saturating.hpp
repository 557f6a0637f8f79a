// Sums that stay at the largest or smallest value if they exceed 64 bits, as times over all threads
// of a large machine may do. Also conversion of clock ticks to bounded times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace vftrace {

inline void add_saturating(std::int64_t& sum, std::int64_t value) {
    if (__builtin_add_overflow(sum, value, &sum))
        sum = value < 0 ? std::numeric_limits<std::int64_t>::min()
                        : std::numeric_limits<std::int64_t>::max();
}

inline void add_saturating(std::uint64_t& sum, std::uint64_t value) {
    if (__builtin_add_overflow(sum, value, &sum))
        sum = std::numeric_limits<std::uint64_t>::max();
}

// The nanoseconds of this number of ticks; 0 if negative.
inline std::int64_t saturated_ns(double ticks, double ns_per_tick) {
    constexpr double most = 9e18;
    return static_cast<std::int64_t>(std::clamp(ticks * ns_per_tick, 0.0, most));
}

}  // namespace vftrace
