#include "base/utf8.hpp"

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr CodePoint invalid{0xFFFD, 1, false};

bool is_control(char32_t value) { return value < 0x20 || (value >= 0x7f && value < 0xa0); }

void append_escaped(std::string& out, char32_t control) {
    switch (control) {
    case '\n':
        out += "\\n";
        return;
    case '\t':
        out += "\\t";
        return;
    case '\r':
        out += "\\r";
        return;
    default:
        append_format(out, control < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(control));
    }
}

}  // namespace

CodePoint first_code_point_of_several_bytes(std::string_view text) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    unsigned char lead = byte(0);
    std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
        return invalid;
    char32_t value = lead & (0x7fu >> length);
    for (std::size_t i = 1; i < length; i++) {
        if ((byte(i) & 0xc0) != 0x80)
            return invalid;
        value = value << 6 | (byte(i) & 0x3f);
    }
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return invalid;
    return {value, length, true};
}

std::size_t count_code_points(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); count++)
        text.remove_prefix(first_code_point(text).bytes);
    return count;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
    std::string out;
    std::size_t used = indent;
    bool is_first = true;
    for (const std::string_view word : split(text, ' ')) {
        const std::size_t length = count_code_points(word);
        if (!is_first && used + 1 + length > columns) {
            out.append(1, '\n').append(indent, ' ');
            used = indent;
        } else if (!is_first) {
            out += ' ';
            used++;
        }
        out += word;
        used += length;
        is_first = false;
    }
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        CodePoint point = first_code_point(text);
        if (!point.valid)
            out += replacement_character;
        else if (is_control(point.value))
            append_escaped(out, point.value);
        else
            out += text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return out;
}

}  // namespace vftrace
