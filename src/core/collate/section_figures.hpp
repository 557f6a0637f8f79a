// The figures of a rank's sections, so that tables can show which rank took longest.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Adds the metrics section.longest_self and section.longest_total to this rank's own profile.
void note_sections_of_rank(Profile& profile);

}  // namespace vftrace
