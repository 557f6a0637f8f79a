// Paths that were created in advance but never needed.
#pragma once

#include "profile/paths_of_nodes.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Removes the paths of threads and OpenMP constructs that were never called, nor anything below
// them, with their functions. Everything that refers to paths is updated, including `nodes` if
// given: what had a removed path gets that of the nearest caller that stays.
void drop_unused_paths(Profile& profile, PathsOfNodes* nodes = nullptr);

// Removes in the same way all paths without calls and without time, such as those that were not
// taken since a mark.
void drop_untouched_paths(Profile& profile);

}  // namespace vftrace
