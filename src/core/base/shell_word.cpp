#include "base/shell_word.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace vftrace {

std::string shell_word(std::string_view text) {
    constexpr std::string_view harmless = "_./:+,@%=-";
    const auto is_harmless = [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               harmless.find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_harmless))
        return std::string(text);
    std::string word = "'";
    for (const char c : printable(text))
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + '\'';
}

}  // namespace vftrace
