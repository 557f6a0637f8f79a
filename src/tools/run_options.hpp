// Passes `vftrace run --option KEY=VALUE` and `--parameter NAME=VALUE` to the library.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

// Puts an option that is given as "key=value" into the environment. Throws UsageError if there is
// no such option. A value that the library would not accept is reported and left out: the library
// could say so only in a program that it records something of, and not which argument is meant.
void set_option(const std::string& text);

// Adds parameters, each given as "NAME=NUMBER" or "NAME=argv[K]", to those that the configuration
// has; they replace those of the same name. Throws UsageError if one is not of this form, or there
// twice.
void add_parameters(const std::vector<std::string>& texts);

}  // namespace vftrace::tools
