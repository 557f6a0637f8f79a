// The part of a profile's JSON file that is about the process of each rank as a whole.
#pragma once

#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Writes the members "rank_metrics" and "series" of the outermost object, each only if there is
// something in it.
void write_process_json(const Profile& profile, JsonWriter& json);

}  // namespace vftrace
