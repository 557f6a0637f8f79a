// What a comparison needs of each run in addition to its efficiencies.
#pragma once

#include <cstdint>

#include "efficiency/efficiencies.hpp"

namespace vftrace {

struct UsefulTime {
    double useful = 0;             // ns, of all processors: the program's own work
    double elapsed = 0;            // ns
    std::uint64_t processors = 0;  // 0: not known
};

RegionEfficiency efficiency_of_run(const Profile& profile, UsefulTime& useful);

}  // namespace vftrace
