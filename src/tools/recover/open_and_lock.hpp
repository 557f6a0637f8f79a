// Opens a file of a dead process for exclusive use by one recovery.
#pragma once

#include <string>

namespace vftrace {

// Returns the descriptor; closing it unlocks the file. Throws TreeFileError if the file cannot be
// opened, is gone, or is locked for 20 s.
int open_and_lock(const std::string& path);

}  // namespace vftrace
