// Directories to which our files are written.
#pragma once

#include <string>

namespace vftrace {

// The directory of a file: the part of its path before the last component; "." for a name without
// one.
std::string directory_of(const std::string& path);

// Checks whether new files can be created in the directory, or, if it is missing, whether it can be
// created. Does not change anything. Returns 0 or an errno.
int check_new_files(const std::string& directory);

// Creates the directory and missing ones above it. Returns 0, also if it exists already, or an
// errno.
int make_directories(const std::string& directory);

}  // namespace vftrace
