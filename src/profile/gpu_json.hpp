// The part of a profile's JSON file that is about GPUs.
#pragma once

#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Writes the members "offload" and "gpu" of the outermost object, if there is something in them.
void write_gpu_json(const Profile& profile, JsonWriter& json);

}  // namespace vftrace
