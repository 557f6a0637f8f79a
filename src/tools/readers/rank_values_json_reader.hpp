// Reads the values by rank of a path in a profile's JSON file. For tools: it throws exceptions.
#pragma once

#include <cstdint>

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// Reads all data except the path, from the profile of a run with `ranks` ranks.
void read_rank_values(const JsonObject& json, RankValues& values, std::uint32_t ranks);

}  // namespace vftrace
