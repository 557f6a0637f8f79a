// The time of each rank in the whole run or in a region of the program, and how much of it was MPI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct RankTime {
    std::string_view host;
    double elapsed = 0;  // ns
    double mpi = 0;      // of that
    double waiting = 0;  // of that, waiting for other ranks, as far as known: a lower limit
    double processors = 1;
    double outside() const { return elapsed > mpi ? elapsed - mpi : 0; }
};

// Ranks that were not in the region are left out. `ranks` is empty if times by rank are not known:
// `remark` says why.
struct RegionTimes {
    std::vector<RankTime> ranks;
    std::string remark;
};

// is_inside: by path; empty: the whole run.
RegionTimes times_of_region(const Profile& profile, const std::vector<bool>& is_inside);

// The paths of a function and all below them, except for pauses.
std::vector<bool> paths_of_region(const Profile& profile, std::uint32_t function);

// Whether a path is below a path of this kind.
bool is_below_kind(const Profile& profile, std::uint32_t path, NodeKind kind);

}  // namespace vftrace
