// What `vftrace run --option KEY=VALUE` gives to the library.
#pragma once

#include <string>

namespace vftrace::tools {

// Puts an option that is given as "key=value" into the environment. Throws UsageError if there is
// no such option. A value that the library would not take is told and left out: the library could
// say so only in a program that it records something of, and not which argument is meant.
void set_option(const std::string& text);

}  // namespace vftrace::tools
