// The text of the source files that contain the functions of profiles, for the report page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct PageSources {
    std::string block;                 // in the page's layout; empty: no file could be read
    std::vector<std::string> missing;  // files that could not be read
    std::vector<std::string> changed;  // files that were written after the first run had started
};

// Files in which the most time is spent come first, up to 4 MiB in total; files of more than 1 MiB
// are left out. Reads the files from the paths that the profiles contain.
PageSources page_sources(std::span<const Profile> profiles);

}  // namespace vftrace
