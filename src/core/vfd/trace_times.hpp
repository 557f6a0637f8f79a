// Converts ticks in a trace to nanoseconds since the process's start.
#pragma once

#include <algorithm>
#include <cstdint>

namespace vftrace {

struct TraceTimes {
    std::uint64_t start_ticks = 0;
    double ns_per_tick = 1.0;

    // 0 for times before the start.
    std::int64_t ns(std::uint64_t ticks) const {
        constexpr double most = 9e18;
        if (ticks <= start_ticks)
            return 0;
        // Converts from a signed integer, which takes one instruction.
        const auto since = static_cast<std::int64_t>((ticks - start_ticks) & ~(1ull << 63));
        return static_cast<std::int64_t>(std::min(static_cast<double>(since) * ns_per_tick, most));
    }
};

}  // namespace vftrace
