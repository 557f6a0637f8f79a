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

// Whether a terminal would obey the character instead of showing it: control characters (C0, DEL,
// C1), those that change the direction of the text around them, so that it reads differently, and
// separators of lines and paragraphs.
bool is_obeyed(char32_t value);

// Text from files and processes, in a form that one line of a log or terminal can show: what a
// terminal would obey as \n, \t, \x1b, \u0085, \u202e, invalid bytes as U+FFFD. Everything that is
// printed and that vftrace did not make itself goes through this function, or through one of the
// next two (doc/design/foreign-text.md).
std::string printable(std::string_view text);
// The same for text of several lines, whose ends of lines are kept.
std::string printable_lines(std::string_view text);
// The same in place, without memory, for text of `length` bytes in a buffer of `room` bytes. Ends
// of lines and tabs are kept; text that does not fit is cut. Returns the new length.
std::size_t make_printable(char* text, std::size_t length, std::size_t room);

}  // namespace vftrace
