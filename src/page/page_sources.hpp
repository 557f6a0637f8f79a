// The text of the source files with the functions of profiles, for the report page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct PageSources {
    std::string block;                 // of the page's layout; empty: no file could be read
    std::vector<std::string> missing;  // files that could not be read
};

// Those in which most time is spent come first, until they have 4 MiB together; a file of more than
// 1 MiB is left out. Reads what lies at the places that the profiles name.
PageSources page_sources(std::span<const Profile> profiles);

}  // namespace vftrace
