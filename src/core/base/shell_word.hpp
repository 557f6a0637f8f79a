// Text as one word of a shell command that a user may copy.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// As it is if no character of it means anything to shells, otherwise in single quotes. Characters
// that terminals obey are shown escaped.
std::string shell_word(std::string_view text);

}  // namespace vftrace
