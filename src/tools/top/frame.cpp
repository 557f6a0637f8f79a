#include "top/frame.hpp"

#include <algorithm>
#include <wchar.h>

#include "base/utf8.hpp"

namespace vftrace {
namespace {

std::size_t width_of(char32_t character) {
    const int width = wcwidth(static_cast<wchar_t>(character));
    return width < 0 ? 1 : static_cast<std::size_t>(width);
}

// How many bytes at the start of the text fit.
std::size_t fitting_bytes(std::string_view text, std::size_t columns) {
    std::size_t bytes = 0, used = 0;
    while (bytes < text.size()) {
        const CodePoint next = first_code_point(text.substr(bytes));
        used += width_of(next.value);
        if (used > columns)
            break;
        bytes += next.bytes;
    }
    return bytes;
}

}  // namespace

Line& Line::add(std::string_view text, Style style) {
    if (!text.empty())
        parts_.push_back({std::string(text), style});
    return *this;
}

std::string Line::text() const {
    std::string all;
    for (const StyledText& part : parts_)
        all += part.text;
    all.resize(all.find_last_not_of(' ') + 1);
    return all;
}

std::size_t Line::width() const {
    std::size_t columns = 0;
    for (const StyledText& part : parts_)
        columns += columns_of(part.text);
    return columns;
}

void Line::clip(std::size_t columns) {
    std::size_t left = columns;
    for (std::size_t i = 0; i < parts_.size(); i++) {
        const std::size_t width = columns_of(parts_[i].text);
        if (width > left) {
            parts_[i].text.resize(fitting_bytes(parts_[i].text, left));
            parts_.resize(i + 1);
            return;
        }
        left -= width;
    }
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        const CodePoint next = first_code_point(text);
        columns += width_of(next.value);
        text.remove_prefix(next.bytes);
    }
    return columns;
}

std::string clipped(std::string_view text, std::size_t columns, bool in_middle) {
    std::string shown = printable(text);
    const std::size_t width = columns_of(shown);
    if (width <= columns)
        return shown;
    constexpr std::size_t least_for_middle = 8;
    if (!in_middle || columns < least_for_middle) {
        shown.resize(fitting_bytes(shown, columns));
        return shown;
    }
    const std::size_t end_columns = (columns - 2) / 2;
    std::string begin = shown.substr(0, fitting_bytes(shown, columns - 2 - end_columns));
    std::size_t from = fitting_bytes(shown, width - end_columns);
    while (columns_of(std::string_view(shown).substr(from)) > end_columns)
        from += first_code_point(std::string_view(shown).substr(from)).bytes;
    return begin + ".." + shown.substr(from);
}

std::string padded(std::string_view text, std::size_t columns) {
    std::string shown = clipped(text, columns);
    shown.append(columns - std::min(columns, columns_of(shown)), ' ');
    return shown;
}

std::string right_aligned(std::string_view text, std::size_t columns) {
    const std::string shown = clipped(text, columns);
    return std::string(columns - std::min(columns, columns_of(shown)), ' ') + shown;
}

}  // namespace vftrace
