// The first lines of `vftrace report`, ten at most. Needs displayed names of functions.
#pragma once

#include "profile/profile.hpp"
#include "report/table.hpp"

namespace vftrace {

void write_first_screen(const Profile& profile, TableOutput& out);

}  // namespace vftrace
