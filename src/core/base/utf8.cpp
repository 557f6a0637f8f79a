#include "base/utf8.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr CodePoint invalid{0xFFFD, 1, false};

// A character in the form in which it is shown.
struct Shown {
    char text[8];
    std::size_t length;
};

Shown escaped(char32_t value) {
    Shown shown;
    const char* const pattern = value == '\n'   ? "\\n"
                                : value == '\t' ? "\\t"
                                : value == '\r' ? "\\r"
                                : value < 0x80  ? "\\x%02x"
                                                : "\\u%04x";
    shown.length = static_cast<std::size_t>(
        std::snprintf(shown.text, sizeof shown.text, pattern, static_cast<unsigned>(value)));
    return shown;
}

// Nothing (of length 0) if the character is shown as it is.
Shown replacement_of(CodePoint point) {
    Shown shown{{}, 0};
    if (point.valid)
        return is_obeyed(point.value) ? escaped(point.value) : shown;
    shown.length = replacement_character.size();
    std::memcpy(shown.text, replacement_character.data(), shown.length);
    return shown;
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

bool is_obeyed(char32_t value) {
    constexpr struct {
        char32_t first, last;
    } obeyed[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},
                  {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    if (value >= ' ' && value < 0x7f)
        return false;
    return std::any_of(std::begin(obeyed), std::end(obeyed), [value](const auto& range) {
        return value >= range.first && value <= range.last;
    });
}

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        const Shown shown = replacement_of(point);
        out += shown.length > 0 ? std::string_view(shown.text, shown.length)
                                : text.substr(0, point.bytes);
        text.remove_prefix(point.bytes);
    }
    return out;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
        out += printable(text.substr(0, end)) + '\n';
    return out + printable(text);
}

std::size_t make_printable(char* text, std::size_t length, std::size_t room) {
    for (std::size_t at = 0; at < length;) {
        const CodePoint point = first_code_point({text + at, length - at});
        const bool is_kept = point.value == '\n' || point.value == '\t';
        const Shown shown = is_kept ? Shown{{}, 0} : replacement_of(point);
        if (shown.length == 0) {
            at += point.bytes;
            continue;
        }
        if (at + shown.length > room)
            return at;
        const std::size_t rest = std::min(length - at - point.bytes, room - at - shown.length);
        std::memmove(text + at + shown.length, text + at + point.bytes, rest);
        std::memcpy(text + at, shown.text, shown.length);
        at += shown.length;
        length = at + rest;
    }
    return length;
}

}  // namespace vftrace
