// One line for the end of a run: where its profile is, and the functions that took the most time.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// "profile in /tmp/heat_all.log; most time in sweep (61.2 %), norm (20.4 %), main (3.0 %)". Shares
// are those of the column t_excl[%], added up over the call paths of a function.
std::string summary_line(const Profile& profile, const std::string& log);

}  // namespace vftrace
