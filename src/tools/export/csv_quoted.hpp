// Text as a value of comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// In quotation marks, those in the text doubled. `shown`: printable (base/utf8.hpp).
inline std::string csv_quoted(std::string_view shown) {
    std::string quoted = "\"";
    for (const char c : shown)
        quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

}  // namespace vftrace
