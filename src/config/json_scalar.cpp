// Single values as JSON text.
#include "config/json_scalar.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace vftrace {

namespace {

// The length of the UTF-8 character that `text` begins with, 0 if it begins with none. Overlong
// forms, surrogates and values above U+10FFFF are none.
std::size_t utf8_length(std::string_view text) {
    auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return continues(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        bool overlong = first == 0xe0 && byte(1) < 0xa0;
        bool surrogate = first == 0xed && byte(1) >= 0xa0;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        bool overlong = first == 0xf0 && byte(1) < 0x90;
        bool too_large = first == 0xf4 && byte(1) >= 0x90;
        return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

void append_character(std::string& out, std::string_view character) {
    switch (character[0]) {
    case '"':
        out += "\\\"";
        break;
    case '\\':
        out += "\\\\";
        break;
    case '\n':
        out += "\\n";
        break;
    case '\t':
        out += "\\t";
        break;
    default:
        if (static_cast<unsigned char>(character[0]) < 0x20)
            append_format(out, "\\u%04x", static_cast<unsigned>(character[0]));
        else
            out += character;
    }
}

}  // namespace

std::string json_text(bool value) { return value ? "true" : "false"; }

std::string json_text(int value) { return format("%d", value); }

std::string json_text(double value) {
    std::string text = format("%lf", value);
    return std::strtod(text.c_str(), nullptr) == value ? text : format("%.17g", value);
}

std::string json_text(const std::string& value) {
    std::string out = "\"";
    std::string_view rest = value;
    while (!rest.empty()) {
        std::size_t length = utf8_length(rest);
        if (length > 0)
            append_character(out, rest.substr(0, length));
        else
            out += "\xef\xbf\xbd";
        rest.remove_prefix(length > 0 ? length : 1);
    }
    return out += '"';
}

std::string json_text(const std::optional<std::string>& value) {
    return value ? json_text(*value) : "null";
}

}  // namespace vftrace
