// A roll call as JSON.
#pragma once

#include <string>

#include "rollcall/roll_call.hpp"

namespace vftrace::tools {

// One line: {"application", "ranks", "places": [{"path", "activity", "count", "ranks", ...}],
// "missing", "problems"}; doc/hung-job.md describes the members.
std::string json_of(const RollCall& call);

}  // namespace vftrace::tools
