// Directories to which our files are written.
#pragma once

#include <fcntl.h>
#include <string>

namespace vftrace {

// A directory in which files are named.
struct OutputFolder {
    int descriptor = AT_FDCWD;  // names are relative to it
    std::string path{};         // "<path>/" in front of the names in messages, or ""
};

// The directory of a file: the part of its path before the last component; "." for a name without
// one.
std::string directory_of(const std::string& path);

// Checks whether new files can be created in the directory, or, if it is missing, whether it can be
// created. Does not change anything. Returns 0 or an errno.
int check_new_files(const std::string& directory);

// Creates the directory and missing ones above it. Returns 0, also if it exists already, or an
// errno.
int make_directories(const std::string& directory);

// Opens a directory for the use of names in it, which then stay in it, whatever happens to its
// path. Links are followed one by one, as in behind_links(), so that none can be put in the way.
// Returns the descriptor, or -1 and an errno: EACCES if a link may not be followed.
int open_directory(const std::string& directory);

}  // namespace vftrace
