// The environment of this process, which is inherited by the program that replaces it.
#pragma once

#include <string>

namespace vftrace::tools {

// Empty if the variable is not set.
std::string environment_variable(const char* name);

// Throws CommandError if the variable cannot be set.
void set_environment_variable(const std::string& name, const std::string& value);

}  // namespace vftrace::tools
