#include "base/file_name.hpp"

#include <algorithm>

namespace vftrace {
namespace {

constexpr std::size_t longest = 200;

bool is_left_out(char c) {
    const auto code = static_cast<unsigned char>(c);
    return c == '/' || code < 0x20 || code == 0x7f;
}

// The bytes that continue a character of UTF-8.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string safe_file_name(std::string_view text, std::string_view otherwise) {
    std::string kept;
    for (char c : text)
        if (!is_left_out(c))
            kept += c;
    std::string name;
    for (std::size_t i = 0; i < kept.size();) {
        const std::size_t end = std::min(kept.find_first_not_of('.', i), kept.size());
        const std::size_t dots = end - i;
        if (dots == 1 && !name.empty())
            name += '.';
        i = end;
        if (i < kept.size())
            name += kept[i++];
    }
    if (name.size() > longest) {
        std::size_t end = longest;
        while (end > 0 && continues(name[end]))
            end--;
        name.resize(end);
    }
    return name.empty() ? std::string(otherwise) : name;
}

}  // namespace vftrace
