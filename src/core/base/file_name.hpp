// Names of files that are made of text which another user may have written.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// What is left of the text, as the name of a visible file in one folder: without slashes, control
// characters, dots that follow each other, and dots at the beginning; at most 200 bytes, so that
// suffixes fit. `otherwise`: if nothing is left.
std::string safe_file_name(std::string_view text, std::string_view otherwise);

}  // namespace vftrace
