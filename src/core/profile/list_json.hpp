// The lists of a profile in its JSON file.
#pragma once

#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Writes those lists of profile_lists (profile/row_keys.hpp) that have a name and are not empty, as
// members of the outermost object.
void write_lists_json(const Profile& profile, JsonWriter& json);

}  // namespace vftrace
