// What `vftrace recover` and `vftrace snapshot` share.
#pragma once

#include <string>
#include <vector>

#include "recover/recovery.hpp"

namespace vftrace::tools {

// Writes the profiles of all tree files and the vfd files of all traces, and prints on stdout what
// was written, unless `quiet`. Problems with a file are printed on stderr, and the other files are
// still written. `removes`: files that were recovered are removed. Returns the exit status.
int write_profiles(const std::vector<std::string>& paths, const RecoveryRequest& request,
                   bool removes, bool quiet);

// Throws CommandError unless it is empty or a directory.
void check_output_directory(const std::string& directory);

// The option tree_file.directory of the user's configuration; empty if it is not set.
std::string configured_tree_directory();

}  // namespace vftrace::tools
