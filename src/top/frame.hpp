// The contents of a terminal: lines of styled text, and the width of text there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

enum class Style : std::uint8_t {
    plain,
    title,     // names of programs and panes
    heading,   // of columns
    selected,  // the row of the cursor
    faint,     // what matters little
    strong,    // figures that are large
    warning    // what needs attention: processes that have gone, errors
};

struct StyledText {
    std::string text;
    Style style = Style::plain;
};

// One row of the terminal.
class Line {
  public:
    Line& add(std::string_view text, Style style = Style::plain);
    const std::vector<StyledText>& parts() const { return parts_; }
    // All of it, without styles and without blanks at the end.
    std::string text() const;
    std::size_t width() const;
    // Cut to that many columns.
    void clip(std::size_t columns);

  private:
    std::vector<StyledText> parts_;
};

using TextFrame = std::vector<Line>;

// How many columns UTF-8 text takes up in a terminal (wcwidth(), by the locale of LC_CTYPE), what
// cannot be shown being one wide.
std::size_t columns_of(std::string_view text);

// The beginning of the text that fits into that many columns, its middle replaced by ".." if
// `in_middle`; control characters as they can be shown.
std::string clipped(std::string_view text, std::size_t columns, bool in_middle = false);

// Filled up with blanks on the right, or on the left.
std::string padded(std::string_view text, std::size_t columns);
std::string right_aligned(std::string_view text, std::size_t columns);

}  // namespace vftrace
