// The numbers of call paths (STIDs) in logs.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Sets hash and stid of all paths of a profile, by the names of their functions: paths are numbered
// in ascending order of their hashes, as Vftrace 2.0 does. Paths with equal hashes are ordered by
// the offset of their function in its module, then as in the profile.
void set_stids(Profile& profile);

}  // namespace vftrace
