// Differences between the ranks of an MPI run. For summary logs: the profile is that of all ranks.
// Each table writes its title, its rows and an empty line.
#pragma once

#include <cstdint>

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// How far the rank that is farthest from the mean exclusive time of a path is away from it, in per
// cent of the mean: positive if that rank takes longer, negative if it takes less time. The mean is
// over the ranks that have the path. 0 on rank 0 if they spend no time in it or there is no MPI.
struct Imbalance {
    double percent = 0.0;
    std::uint32_t rank = 0;
};
Imbalance imbalance_of(const Profile& profile, std::uint32_t path);

// " Summary: Min/Max runtime across all ranks": exclusive times, longest first.
void write_minmax_summary(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out);

// "MPI time by rank", most MPI time first, and a line with the load imbalance. Of many ranks, only
// those with the most and the least time in MPI are shown. Calls are those of MPI functions, blank
// if an older profile does not contain them.
bool has_rank_table(const Profile& profile);
void write_rank_table(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
