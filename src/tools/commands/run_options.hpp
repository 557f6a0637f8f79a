// Passes `vftrace run --option KEY=VALUE` and `--parameter NAME=VALUE` to the library.
#pragma once

#include <string>
#include <vector>

namespace vftrace::tools {

// Puts an option that is given as "key=value" into the environment. Throws UsageError if there is
// no such option. A value that the library would not accept is reported and left out: the library
// could report it only in a program that it records, and without naming the argument.
void set_option(const std::string& text);

// Adds parameters, each given as "NAME=NUMBER" or "NAME=argv[K]", to those of the configuration;
// they replace those of the same name. Throws UsageError if one does not have this form, or is
// given twice.
void add_parameters(const std::vector<std::string>& texts);

}  // namespace vftrace::tools
