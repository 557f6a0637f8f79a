// The files to which paths of our output lead through symbolic links.
#pragma once

#include <optional>
#include <string>
#include <sys/stat.h>

namespace vftrace {

// The path with symbolic links resolved, as far as they may be followed. Its target need not exist.
// In a directory where every user may create files but not remove those of others (/tmp), a link
// must belong to the user or to the directory's owner, because anybody else may have planted it.
// The kernel applies the same rule (protected_symlinks), if that is switched on. Commands are
// stricter (follow_only_own_links()).
//
// A link that may not be followed stays in the result if it is the last part of the path, because a
// new file then replaces it. In other places, and for a loop of links, there is no result, and
// errno is set.
std::optional<std::string> behind_links(const std::string& path);

// Whether, from now on, only links that belong to the user or to root are followed, in all
// directories. A command may run with the rights of root in a directory of another user, who
// chooses where the links in it lead; a program, in contrast, writes where its own user has told it
// to.
void follow_only_own_links(bool only_own);
bool only_own_links_are_followed();

// Whether a link in this directory may be followed.
bool may_be_followed(const struct stat& directory, const struct stat& link);

}  // namespace vftrace
