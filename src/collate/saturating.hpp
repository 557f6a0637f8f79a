// Sums that stay at the largest or smallest value where they are too large for 64 bits: times over
// all threads of a large machine may be.
#pragma once

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

}  // namespace vftrace
