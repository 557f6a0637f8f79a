// Single values as JSON text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/cxx_names.hpp"

namespace vftrace {

std::string json_text(bool value);
std::string json_text(CxxNames value);
std::string json_text(int value);
// "%lf" unless that loses digits, then "%.17g". The caller must hold a CLocale for the decimal
// point.
std::string json_text(double value);
// Escaped and in quotation marks. Bytes that are not UTF-8 become U+FFFD, because some readers
// would otherwise refuse the whole text.
std::string json_text(const std::string& value);
std::string json_text(const std::optional<std::string>& value);

}  // namespace vftrace
