// The program that `vftrace run` starts: where its file is, and whether it can be profiled.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

// The file that execvp(name) would execute: the first executable one in the directories of PATH if
// `name` has no slash. Empty if there is none.
std::string find_program(const std::string& name);

// Why a profile of this program will be empty, one sentence a reason; nothing if it is fine, is
// no ELF file (a script, say), or is a launcher, a shell or an interpreter, which only starts the
// program that counts.
std::vector<std::string> reasons_for_empty_profile(const std::string& path);

}  // namespace vftrace::tools
