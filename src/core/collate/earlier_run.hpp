// The sections of the earlier run that this one continues, from its profile in JSON.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// `path`: JSON of one process or of all ranks, with the sections of the runs that it continues.
// Nothing in it is trusted. Returns what is wrong with it, or "".
std::string read_earlier_run(const std::string& path, std::vector<EarlierSection>& sections);

}  // namespace vftrace
