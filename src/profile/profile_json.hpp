// Writes a profile as JSON, for tools and scripts. doc/profile-json.md describes the file.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// Creates or overwrites the file `path`. Returns 0, or the errno of the first failure; what has
// been written by then stays. Needs no memory that grows with the profile. RunInfo::config_text
// must be empty or valid JSON: it is embedded as it stands.
int write_profile_json(const Profile& profile, const std::string& path);

}  // namespace vftrace
