// Energy counters of processors in Linux's /sys/class/powercap
// (https://docs.kernel.org/power/powercap/powercap.html): microjoules that wrap around.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vftrace {

// The counter of a part of the machine.
struct PowerZone {
    std::string name;     // "package-0"; "package-0/dram" for a part of it
    std::string counter;  // path of the file
    std::uint64_t range;  // it counts from 0 to this, microjoules; 0: not known
};

// The zones of RAPL (Intel, AMD) below `system_files`, which is /sys except in tests, sorted by
// name.
std::vector<PowerZone> power_zones(const std::string& system_files);

// The value of the counter; empty if it cannot be read. Uses only system calls; preserves errno.
std::optional<std::uint64_t> read_counter(const PowerZone& zone);

// Microjoules between two readings, which must be so close to each other that less than half the
// range fits in between. A counter that goes back further has started again, as after standby.
constexpr std::uint64_t energy_between(std::uint64_t before, std::uint64_t now,
                                       std::uint64_t range) {
    if (now >= before)
        return now - before;
    const bool wrapped = range >= before && range - before + now < range / 2;
    return wrapped ? range - before + now : now;
}

}  // namespace vftrace
