// What the tables of allocated memory share.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// "heat.cpp:120", or "libheat.so+0x12a0" without debug information.
std::string place_text(const Profile& profile, const HeapSiteRow& site);

}  // namespace vftrace
