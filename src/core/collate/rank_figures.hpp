// The row of a process in the list of ranks.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Summed up from the profile of one rank, whose `run` and paths are complete.
RankFigures rank_figures(const Profile& profile);

}  // namespace vftrace
