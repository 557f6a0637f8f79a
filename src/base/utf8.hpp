// UTF-8 as it is needed for tables and JSON: names come from symbol tables and from the program,
// so they may hold anything, including broken sequences and control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vftrace {

// The replacement for bytes that are not UTF-8 (U+FFFD).
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

struct CodePoint {
    char32_t value;     // U+FFFD if the bytes are not UTF-8
    std::size_t bytes;  // how many bytes of the text it takes, at least 1
    bool valid;
};

// The code point that `text` begins with. Overlong forms, surrogates and values past U+10FFFF are
// invalid, and so is a sequence that is cut off. `text` may not be empty.
CodePoint first_code_point_of_several_bytes(std::string_view text);
inline CodePoint first_code_point(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    // Nearly all are such, and the tables of a profile have hundreds of thousands.
    return lead < 0x80 ? CodePoint{lead, 1, true} : first_code_point_of_several_bytes(text);
}

// How many code points `text` has; each invalid byte counts as one.
std::size_t count_code_points(std::string_view text);

// The text as one line of a log can show it: control characters as \n, \t, \x1b, \u0085, invalid
// bytes as U+FFFD.
std::string printable(std::string_view text);

}  // namespace vftrace
