// Where the time of OpenMP threads went: work, and three kinds of losses.
//
// The decomposition is that of TALP (DLB 3.7, "OpenMP metrics"): the three losses are subtracted
// one after the other from the time of all processors, so that the product of their efficiencies is
// the total efficiency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "efficiency/region_times.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// ns, sums over the threads of the teams of all ranks.
struct OpenmpTimes {
    std::uint64_t processors = 0;  // threads of teams; 0: not known
    double work = 0;
    double serial = 0;                // while one thread of a rank worked outside parallel regions
    double imbalance = 0;             // waiting for threads of the team that had more work
    double rest = 0;                  // locks, start and end of regions, ...
    bool imbalance_is_bound = false;  // the true one may be larger, and `rest` smaller
    std::string remark{};             // why the times are not known

    double all() const { return work + serial + imbalance + rest; }
};

// `ranks`: the result of times_of_region() for the whole run; their processors are set.
OpenmpTimes openmp_times_of_run(const Profile& profile, std::vector<RankTime>& ranks);

// The times of a region in a profile of one process; `one` is the time of the process in it.
OpenmpTimes openmp_times_of_region(const Profile& profile, const RankTime& one,
                                   const std::vector<bool>& is_inside);

}  // namespace vftrace
