// The parameters that a model may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vftrace {

// The parameters allowed in a path's model, according to an analysis of the program: sets of
// parameters, by index. Those in one set may be multiplied with each other. Without any set, the
// path can only be constant.
struct AllowedParameters {
    std::vector<std::vector<std::uint32_t>> sets;

    static AllowedParameters all(std::size_t parameters);
    // Whether a product may contain all of these, bits by index.
    bool may_multiply(std::uint32_t parameters) const;
    // All parameters that are in a set.
    std::uint32_t mask() const;
};

// Values of a parameter: with fewer than the least, any model fits, and a model from fewer than are
// wanted is doubtful.
inline constexpr std::size_t least_values = 3, wanted_values = 5;

}  // namespace vftrace
