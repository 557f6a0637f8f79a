#include "report/path_text.hpp"

#include "base/utf8.hpp"
#include "symbol/names.hpp"

namespace vftrace {

PathText::PathText(const Profile& profile, std::size_t max_name_width)
    : profile_(profile), max_name_width_(max_name_width) {
    names_.reserve(profile.functions.size());
    for (const Function& function : profile.functions)
        names_.push_back(shown(function.display));
}

std::string PathText::shown(std::string_view name) const {
    return shorten_middle(printable(name), max_name_width_);
}

const std::string& PathText::function(std::uint32_t path) const {
    return names_[profile_.paths[path].function];
}

std::string_view PathText::caller(std::uint32_t path) const {
    const std::uint32_t parent = profile_.paths[path].parent;
    return parent == no_index ? std::string_view("----") : function(parent);
}

std::string PathText::call_path(std::uint32_t path) const {
    std::vector<std::string_view> names;
    for (std::uint32_t i = path; i != no_index; i = profile_.paths[i].parent)
        names.push_back(function(i));
    return joined_call_path(names);
}

std::string joined_call_path(const std::vector<std::string_view>& names) {
    constexpr std::size_t half = PathText::max_levels / 2;
    const bool is_long = names.size() > PathText::max_levels;
    std::string text;
    for (std::size_t level = 0; level < names.size(); level++) {
        if (level > 0)
            text += '<';
        if (is_long && level == half) {
            text += "...";
            level = names.size() - half - 1;
        } else {
            text += names[level];
        }
    }
    return text;
}

}  // namespace vftrace
