// The part of a profile's JSON file that is about threads and parallel regions.
#pragma once

#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Writes the members "threads" and "parallel_regions" of the outermost object, each only if there
// is something in it.
void write_threads_json(const Profile& profile, JsonWriter& json);

}  // namespace vftrace
