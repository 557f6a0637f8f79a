// The files that paths of our output lead to through symbolic links.
#pragma once

#include <optional>
#include <string>

namespace vftrace {

// The path without symbolic links, as far as they may be followed. Its target need not exist. In
// a directory where every user may put files but not remove those of others (/tmp), a link
// must be the user's own, or that of the directory's owner: anybody else may have planted it. The
// kernel has the same rule (protected_symlinks), if it is switched on.
//
// Such a link stays in the result if it is the last part of the path, because a new file then
// replaces it. Elsewhere, and for a loop of links, there is no result, but errno.
std::optional<std::string> behind_links(const std::string& path);

}  // namespace vftrace
