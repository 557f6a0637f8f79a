// Paths that were made in advance, and never needed.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Removes the paths of threads and OpenMP constructs that were never called and below which nothing
// was, with their functions. All that refers to paths follows.
void drop_unused_paths(Profile& profile);

}  // namespace vftrace
