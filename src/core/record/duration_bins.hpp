// Bins for durations of which percentiles are wanted: each is twice as long as the one before.
// Metrics with bins have one value per bin, whose number is the index of the metric (SideColumn).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vftrace {

// Numbered from 1: less than 1.024 us, less than 2.048 us, ...; the last one has no upper limit.
inline constexpr unsigned duration_bins = 28;
inline constexpr unsigned bits_of_first_bin = 10;

constexpr unsigned duration_bin(std::uint64_t ns) {
    const auto bits = static_cast<unsigned>(std::bit_width(ns));
    return std::clamp(bits, bits_of_first_bin, bits_of_first_bin + duration_bins - 1) -
           bits_of_first_bin + 1;
}

// Durations by bin.
struct DurationCounts {
    std::uint64_t in_bin[duration_bins] = {};

    std::uint64_t all() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : in_bin)
            sum += count;
        return sum;
    }

    // The limit, in ns, that this share of them does not exceed: the upper end of a bin, and so at
    // most twice what it is exactly, or `longest_ns`. 0 if there are none.
    double percentile(double share, double longest_ns) const {
        const double wanted = share * static_cast<double>(all());
        double seen = 0;
        for (unsigned i = 0; i + 1 < duration_bins; i++) {
            seen += static_cast<double>(in_bin[i]);
            if (seen > 0 && seen >= wanted)
                return std::min(std::ldexp(1.0, static_cast<int>(i + bits_of_first_bin)),
                                longest_ns);
        }
        return all() > 0 ? longest_ns : 0;
    }
};

}  // namespace vftrace
