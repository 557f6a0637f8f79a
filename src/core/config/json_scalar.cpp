#include "config/json_scalar.hpp"

#include <cstdlib>

#include "base/json_string.hpp"
#include "base/text.hpp"

namespace vftrace {

std::string json_text(bool value) { return value ? "true" : "false"; }

std::string json_text(CxxNames value) {
    return value == CxxNames::full ? json_string(full_cxx_names)
                                   : json_text(value == CxxNames::plain);
}

std::string json_text(int value) { return format("%d", value); }

std::string json_text(double value) {
    std::string text = format("%lf", value);
    return std::strtod(text.c_str(), nullptr) == value ? text : format("%.17g", value);
}

std::string json_text(const std::string& value) { return json_string(value); }

std::string json_text(const std::optional<std::string>& value) {
    return value ? json_text(*value) : "null";
}

}  // namespace vftrace
