// Reads the part of a profile's JSON file that is about the process of each rank as a whole.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// Both members may be absent. The profile has its metrics already. Throws ProfileFormatError.
void read_process_json(const JsonObject& document, Profile& profile);

}  // namespace vftrace
