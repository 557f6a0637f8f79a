// Profiles that do not show where and by whom they were measured.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Takes out: names of hosts, which become "host-1" and so on in the order of the ranks; numbers of
// processes and machines; the command line, the configuration and what else comes from the
// environment; folders of executables, libraries and source files, of which the last part of the
// path remains. Names of functions, threads and regions stay: they are what the profile is about.
void make_anonymous(Profile& profile);

}  // namespace vftrace
