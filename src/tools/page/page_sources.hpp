// The text of the source files that contain the functions of profiles, for the report page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "page/page_profile.hpp"
#include "profile/profile.hpp"

namespace vftrace {

struct PageSources {
    std::string block;  // in the page's layout; empty: no file was read
    struct LeftOut {
        std::string file;
        std::string why;  // "cannot be read: ..."
    };
    std::vector<LeftOut> left_out;
    std::vector<std::string> changed;  // files that were written after the first run had started
};

// Reads the files that the profiles and their lines name, as far as they are regular files with
// text below one of the folders, where symbolic links lead; names that are not absolute are looked
// up in each folder. A profile is somebody's statement: without this, its author would choose which
// files of the user get into a page that is then passed on. Files in which the most time is spent
// come first, up to 4 MiB in total; files of more than 1 MiB are left out.
PageSources page_sources(std::span<const Profile> profiles,
                         const std::vector<std::vector<PageLine>>& lines,
                         const std::vector<std::string>& folders);

}  // namespace vftrace
