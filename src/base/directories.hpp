// Directories that our files are written to.
#pragma once

#include <string>

namespace vftrace {

// Where a file of that name lies: the part before its last component. "." for a name without one.
std::string directory_of(const std::string& path);

// Whether new files can be made there, or, if it is missing, it can be made. Asks the system and
// changes nothing. Returns 0 or an errno.
int check_new_files(const std::string& directory);

// Makes the directory and those above it that are missing. Returns 0, also if it is there already,
// or an errno.
int make_directories(const std::string& directory);

}  // namespace vftrace
