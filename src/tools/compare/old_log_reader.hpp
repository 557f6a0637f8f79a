// Reads the runtime profile from a text log of this version or of Vftrace 2.0. For tools.
#pragma once

#include <string>
#include <string_view>

#include "compare/compared_profile.hpp"

namespace vftrace {

// The log in the file `path`. Columns are found by their headers, so that logs with additional ones
// can be read. Throws ComparisonError.
ComparedProfile read_text_log(const std::string& path);

// The same for a text in memory; `file` is for messages.
ComparedProfile parse_text_log(std::string_view text, const std::string& file);

}  // namespace vftrace
