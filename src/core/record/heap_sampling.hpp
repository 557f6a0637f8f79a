// Sampling of allocations by a Poisson process over the bytes that are allocated, and what a
// sampled allocation represents.
//
// The number of bytes between two samples has an exponential distribution, so that an allocation of
// s bytes is sampled with probability p = 1 - exp(-s / mean), whatever came before. It represents
// 1 / p allocations and s / p bytes (D. G. Horvitz, D. J. Thompson, "A Generalization of Sampling
// Without Replacement From a Finite Universe", 1952). Each one adds (1 - p) / p^2 to the estimated
// variance of the number, and s^2 times that to that of the bytes.
#pragma once

#include <cmath>
#include <cstdint>

namespace vftrace {

struct SampledAllocation {
    std::uint64_t bytes;           // that it represents
    double calls;                  // allocations that it represents
    std::uint64_t bytes_variance;  // bytes squared; at most mean^2
    double calls_variance;
};

// `size`, above 0, and `mean`: bytes.
inline SampledAllocation sampled_allocation(std::uint64_t size, double mean) {
    const auto s = static_cast<double>(size);
    const double p = -std::expm1(-s / mean);
    const double variance = (1 - p) / (p * p);
    return {static_cast<std::uint64_t>(std::llround(s / p)), 1 / p,
            static_cast<std::uint64_t>(std::llround(s * s * variance)), variance};
}
inline SampledAllocation counted_allocation(std::uint64_t size) { return {size, 1, 0, 0}; }

// How many bytes to allocate until the next sample: 1 to about 40 times the mean. `random`: 64
// random bits.
inline std::uint64_t bytes_to_next_sample(double mean, std::uint64_t random) {
    constexpr double unit = 0x1p-53;
    const double uniform = (static_cast<double>(random >> 11) + 0.5) * unit;  // in (0, 1)
    return 1 + static_cast<std::uint64_t>(-std::log(uniform) * mean);
}

}  // namespace vftrace
