// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// `text` escaped and in quotation marks, also characters that a terminal would obey, which JSON can
// hold as well as show. Bytes that are not UTF-8 become U+FFFD, because some readers would
// otherwise reject the whole file.
std::string json_string(std::string_view text);

}  // namespace vftrace
