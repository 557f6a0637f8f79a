// Reads a profile back from JSON. For tools: it throws exceptions and holds the whole document in
// memory (about 1 KB per call path).
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// The profile of the file `path`, with every index checked. Throws ProfileFormatError, with a text
// that begins with the path, if the file cannot be read or is not a profile.
Profile read_profile_json(const std::string& path);

// The same for a text that is already in memory.
Profile parse_profile_json(std::string_view text);

}  // namespace vftrace
