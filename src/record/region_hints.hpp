// Hints about the work in a region, for the report of regions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vftrace {

// In the order of the report's fields, which is GEOPM's (https://geopm.github.io, geopm_report(7));
// `unset` is where no region is. `spin` came later, and has no field in older reports.
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
