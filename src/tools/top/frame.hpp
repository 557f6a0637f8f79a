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
    faint,     // less important text
    strong,    // large figures
    warning    // needs attention: processes that are gone, errors
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
    // The whole text, without styles and without blanks at the end.
    std::string text() const;
    std::size_t width() const;
    // Cuts the line to this number of columns.
    void clip(std::size_t columns);

  private:
    std::vector<StyledText> parts_;
};

using TextFrame = std::vector<Line>;

// How many columns UTF-8 text takes up in a terminal (wcwidth(), in the locale of LC_CTYPE).
// Characters that cannot be shown count as one column.
std::size_t columns_of(std::string_view text);

// The start of the text, as far as it fits into this number of columns, or the text with its middle
// replaced by ".." if `in_middle`. Control characters are made printable.
std::string clipped(std::string_view text, std::size_t columns, bool in_middle = false);

// The clipped text, filled up with blanks on the right, or on the left.
std::string padded(std::string_view text, std::size_t columns);
std::string right_aligned(std::string_view text, std::size_t columns);

}  // namespace vftrace
