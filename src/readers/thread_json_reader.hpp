// Reads the part of a profile's JSON file that is about threads and parallel regions. Code of the
// tools: it throws.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// The members "threads" and "parallel_regions" of the document; files of older versions have none.
// `profile` has its run and its paths already.
void read_threads_json(const JsonObject& document, Profile& profile);

}  // namespace vftrace
