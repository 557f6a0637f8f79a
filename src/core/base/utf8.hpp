// UTF-8, as needed for tables and JSON: names come from symbol tables and from the program, so they
// may contain anything, including invalid sequences and control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vftrace {

// The replacement for bytes that are not UTF-8 (U+FFFD).
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

struct CodePoint {
    char32_t value;     // U+FFFD if the bytes are not UTF-8
    std::size_t bytes;  // number of bytes of the text that it takes, at least 1
    bool valid;
};

// The code point with which `text` begins. Overlong forms, surrogates and values above U+10FFFF are
// invalid, and so is a truncated sequence. `text` must not be empty.
CodePoint first_code_point_of_several_bytes(std::string_view text);
inline CodePoint first_code_point(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    // Inlined for ASCII: nearly all characters are ASCII, and the tables of a profile have hundreds
    // of thousands.
    return lead < 0x80 ? CodePoint{lead, 1, true} : first_code_point_of_several_bytes(text);
}

// The number of code points in `text`; each invalid byte counts as one.
std::size_t count_code_points(std::string_view text);

// The text in lines of at most `columns` columns, broken at blanks, without an end of line. The
// first line begins in column `indent`; the others are indented by that number of blanks. A word
// that is too long has a line to itself.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

// The text in a form that one line of a log can show: control characters as \n, \t, \x1b, \u0085,
// invalid bytes as U+FFFD.
std::string printable(std::string_view text);

}  // namespace vftrace
