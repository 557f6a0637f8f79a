// Profiles without information about where and by whom they were measured.
#pragma once

#include <vector>

#include "page/page_profile.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Removes names of hosts, which become "host-1" and so on in the order of the ranks; numbers of
// processes and machines; the command line, the configuration and everything else from the
// environment; and the folders of executables, libraries and source files, so that only the last
// part of their paths remains. Names of functions, threads and regions remain: they are what the
// profile is about.
void make_anonymous(Profile& profile);
void make_anonymous(std::vector<PageLine>& lines);

}  // namespace vftrace
