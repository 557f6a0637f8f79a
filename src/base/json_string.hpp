// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// `text` escaped and in quotation marks. Bytes that are not UTF-8 become U+FFFD for the sake of
// readers that refuse a whole file otherwise.
std::string json_string(std::string_view text);

}  // namespace vftrace
