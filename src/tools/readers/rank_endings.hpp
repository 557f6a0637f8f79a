// How the ranks of a job ended, in one line. For tools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The ranks that a profile is about, in ascending order.
std::vector<std::uint32_t> ranks_of(const Profile& profile);

// "signal 9 (Killed) (ranks 0, 2); _exit with status 1 (rank 1)", or the common text if all are
// equal. Ranks that ended normally are listed with the text `ordinary`, or not at all if that is
// empty.
std::string how_they_ended(const std::vector<const Profile*>& profiles, std::string_view ordinary);

}  // namespace vftrace
