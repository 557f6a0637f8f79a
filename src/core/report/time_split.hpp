// Where the time of a run went, in a few parts for each rank: the first thing that people see.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// Seconds of all threads of a rank; exclusive times without pauses.
struct TimeSplit {
    std::uint32_t rank = 0;
    double code = 0;     // everything else
    double mpi = 0;      // in MPI calls
    double openmp = 0;   // in OpenMP constructs; of several ranks only waiting in them is known
    double files = 0;    // in calls with files, as far as these were recorded
    double waiting = 0;  // runnable, but without a processor; not in the others
    double total() const { return code + mpi + openmp + files + waiting; }
};

struct TimePart {
    std::string_view id, title;
    double TimeSplit::*seconds;
};
inline constexpr TimePart time_parts[] = {
    {"code", "code", &TimeSplit::code},
    {"mpi", "MPI", &TimeSplit::mpi},
    {"openmp", "OpenMP", &TimeSplit::openmp},
    {"files", "files", &TimeSplit::files},
    {"waiting", "waiting for processors", &TimeSplit::waiting},
};

// By rank. Empty if no time was recorded.
std::vector<TimeSplit> time_splits(const Profile& profile);

// The seconds of all of them.
double total_seconds(const std::vector<TimeSplit>& splits);

struct TimeBar {
    std::string label;  // "rank 3", or for some of many: "rank 3 (most code)"
    TimeSplit split;
};
// One bar for each rank, or, if there are more than `most`, those with the most, the median and the
// least time in code.
std::vector<TimeBar> time_bars(const Profile& profile, std::size_t most);

}  // namespace vftrace
