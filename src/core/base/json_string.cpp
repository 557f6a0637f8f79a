#include "base/json_string.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

void append_ascii(std::string& out, char c) {
    switch (c) {
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
        if (static_cast<unsigned char>(c) < 0x20)
            append_format(out, "\\u%04x", static_cast<unsigned>(c));
        else
            out += c;
    }
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        CodePoint point = first_code_point(text);
        if (!point.valid)
            quoted += replacement_character;
        else if (point.value >= 0x7f && is_obeyed(point.value))
            append_format(quoted, "\\u%04x", static_cast<unsigned>(point.value));
        else if (point.bytes == 1)
            append_ascii(quoted, text.front());
        else
            quoted += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    quoted += '"';
    return quoted;
}

}  // namespace vftrace
