#include "brief/brief_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "brief/brief.hpp"
#include "symbol/names.hpp"

namespace vftrace {

std::string name_for(std::string_view name) {
    constexpr std::size_t longest_name = 60;
    return shorten_middle(printable(name), longest_name);
}

std::string sentence_for(std::string_view text, std::size_t most) {
    std::string line = printable(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return shorten_middle(line, most);
}

std::string time_for(double time_s) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr Unit units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    for (const Unit& unit : units)
        if (std::abs(time_s) >= unit.size)
            return fmt::format("{:.3g} {}", time_s / unit.size, unit.name);
    return fmt::format("{:.3g} ns", time_s * 1e9);
}

bool fits_in_brief(std::string_view text) {
    return text.size() <= most_brief_bytes &&
           static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) <= most_brief_lines;
}

}  // namespace vftrace
