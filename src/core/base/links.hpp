// The files to which paths of our output lead through symbolic links.
#pragma once

#include <optional>
#include <string>

namespace vftrace {

// The path with symbolic links resolved, as far as they may be followed. Its target need not exist.
// In a directory where every user may create files but not remove those of others (/tmp), a link
// must belong to the user or to the directory's owner, because anybody else may have planted it.
// The kernel applies the same rule (protected_symlinks), if that is switched on.
//
// A link that may not be followed stays in the result if it is the last part of the path, because a
// new file then replaces it. In other places, and for a loop of links, there is no result, and
// errno is set.
std::optional<std::string> behind_links(const std::string& path);

}  // namespace vftrace
