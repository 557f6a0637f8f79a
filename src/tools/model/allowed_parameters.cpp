#include "model/allowed_parameters.hpp"

#include <algorithm>

namespace vftrace {

AllowedParameters AllowedParameters::all(std::size_t parameters) {
    AllowedParameters result;
    result.sets.emplace_back();
    for (std::uint32_t i = 0; i < parameters; i++)
        result.sets.back().push_back(i);
    return result;
}

bool AllowedParameters::may_multiply(std::uint32_t parameters) const {
    return std::any_of(sets.begin(), sets.end(), [&](const std::vector<std::uint32_t>& set) {
        std::uint32_t others = parameters;
        for (const std::uint32_t parameter : set)
            others &= ~(1U << parameter);
        return others == 0;
    });
}

std::uint32_t AllowedParameters::mask() const {
    std::uint32_t mask = 0;
    for (const std::vector<std::uint32_t>& set : sets)
        for (const std::uint32_t parameter : set)
            mask |= 1U << parameter;
    return mask;
}

}  // namespace vftrace
