// The notices and the cost of measuring in a profile's JSON file.
#pragma once

#include "profile/json_writer.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Write the members "overhead", and "warnings" and "notices" of `run`: the same as sentences and as
// codes.
void write_overhead_json(const RunInfo& run, JsonWriter& json);
void write_notices_json(const RunInfo& run, JsonWriter& json);

}  // namespace vftrace
