// Running another command and reading what it prints.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

// Runs the executable file command[0] (no search in PATH) with the other words as arguments and
// this process's environment without the named variables. Its standard input is empty and its error
// output is discarded. Returns its output (at most 1 MiB), or nothing if it could not be run or did
// not end with status 0.
std::optional<std::string> output_of(const std::vector<std::string>& command,
                                     std::initializer_list<std::string_view> without_variables);

}  // namespace vftrace::tools
