// Reads the data specific to threads in a profile's JSON file. For tools: it throws exceptions.
#pragma once

#include "profile/profile.hpp"
#include "readers/json_object.hpp"

namespace vftrace {

// Reads details of the last row: its metrics, and its figures by path.
void read_thread_details(const JsonObject& json, ThreadFigures& thread, Profile& profile);

}  // namespace vftrace
