// The layout of --help.
#pragma once

#include <string>

namespace vftrace::tools {

// The lines about an option: its name, its value as CLI11 describes it (" FORMAT:{text,csv}=text"),
// and its description, which is wrapped on a terminal. Elsewhere each option takes one line, which
// the completions of zsh and fish read.
std::string help_of_option(std::string name, std::string value, std::string description);

}  // namespace vftrace::tools
