// Device events that OpenMP libraries report through OMPT: target constructs, and what they move,
// allocate and launch.
#pragma once

#include "openmp/ompt.hpp"

namespace vftrace {

// Makes the library report what it can: each event once, with its beginning and end if it knows
// both.
void register_device_callbacks(ompt::FindFunction find, ompt::SetCallback set);

}  // namespace vftrace
