// Hints about the work in a region, for the report of regions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vftrace {

// In the order of the report's fields, which is that of GEOPM (https://geopm.github.io,
// geopm_report(7)); `unset` applies outside all regions. `spin` was added later, and older reports
// do not have a field for it.
enum class RegionHint : std::uint8_t {
    network,
    ignore,
    compute,
    memory,
    io,
    serial,
    parallel,
    unknown,
    unset,
    spin
};
inline constexpr std::array<std::string_view, 10> region_hint_words = {
    "network", "ignore",   "compute", "memory", "io",
    "serial",  "parallel", "unknown", "unset",  "spin"};

}  // namespace vftrace
