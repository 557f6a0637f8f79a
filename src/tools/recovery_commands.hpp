// What `vftrace recover` and `vftrace snapshot` share.
#pragma once

#include <string>
#include <vector>

#include "recover/recovery.hpp"

namespace vftrace::tools {

// Writes the profiles of all tree files, and the vfd files of all traces, and says on stdout what
// was written, unless `quiet`; what is
// wrong with a file is printed on stderr, and the others are still written. `removes`: files
// that were recovered go. Returns the exit status.
int write_profiles(const std::vector<std::string>& paths, const RecoveryRequest& request,
                   bool removes, bool quiet);

// Throws CommandError unless it is empty or a directory.
void check_output_directory(const std::string& directory);

// The option tree_file.directory of the user's configuration; empty if it is not set.
std::string configured_tree_directory();

}  // namespace vftrace::tools
