// The functions and call paths of a trace. For tools.
#pragma once

#include "profile/profile.hpp"
#include "readers/vfd_reader.hpp"

namespace vftrace {

// The functions and call paths of a trace and its facts about the run, without figures. Does not
// throw.
Profile stacks_of_trace(const VfdFile& trace);

}  // namespace vftrace
