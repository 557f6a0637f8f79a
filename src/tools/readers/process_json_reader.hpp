// Reads the points of a series in a profile's JSON file. For tools: it throws exceptions.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

void read_points(const JsonObject& json, Series& series);

}  // namespace vftrace
