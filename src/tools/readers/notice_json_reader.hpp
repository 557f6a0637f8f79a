// Reads the notices and the cost of measuring from a profile's JSON file. For tools: it throws
// exceptions.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// The members "overhead" and "warnings" of `json`, the object `run`. Files of the last version do
// not have codes: their warnings are sentences, and the labels of costs are used instead.
void read_overhead_json(const JsonObject& json, RunInfo& run);
void read_notices_json(const JsonObject& json, RunInfo& run);

}  // namespace vftrace
