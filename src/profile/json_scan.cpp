// One look over a JSON text before cJSON parses it.
#include "profile/json_scan.hpp"

namespace vftrace {
namespace {

constexpr std::size_t exact_digits = 15;  // every integer of so many digits is exact in a double

// The string literal that `text` begins with, quotes included.
std::string_view string_at(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '"')
            return text.substr(0, i + 1);
    }
    return text;
}

std::string_view number_at(std::string_view text) {
    return text.substr(0, text.find_first_not_of("+-.0123456789eE"));
}

bool is_long_integer(std::string_view number) {
    if (number.starts_with('-'))
        number.remove_prefix(1);
    return number.size() > exact_digits &&
           number.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

ScannedJson scan_json(std::string_view text) {
    ScannedJson result;
    result.text.reserve(text.size() + text.size() / 16);
    std::size_t depth = 0;
    std::string_view last_string;
    std::size_t config_begin = std::string_view::npos;
    for (std::size_t i = 0; i < text.size();) {
        std::string_view token = text.substr(i, 1);
        const char c = text[i];
        if (c == '"') {
            token = string_at(text.substr(i));
            last_string = token;
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            token = number_at(text.substr(i));
        } else if (c == '{' || c == '[') {
            if (depth == 1 && c == '{' && last_string == "\"config\"" && result.config.empty())
                config_begin = i;
            depth++;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
            if (depth == 1 && config_begin != std::string_view::npos) {
                result.config = text.substr(config_begin, i + 1 - config_begin);
                config_begin = std::string_view::npos;
            }
        }
        const bool quote = c != '"' && is_long_integer(token);
        if (quote)
            result.text += '"';
        result.text += token;
        if (quote)
            result.text += '"';
        i += token.size();
    }
    return result;
}

}  // namespace vftrace
