// How functions and call paths are written in tables.
#include "report/path_text.hpp"

#include "base/utf8.hpp"
#include "symbol/names.hpp"

namespace vftrace {

PathText::PathText(const Profile& profile, std::size_t max_name_width) : profile_(profile) {
    names_.reserve(profile.functions.size());
    for (const Function& function : profile.functions)
        names_.push_back(shorten_middle(printable(function.display), max_name_width));
}

const std::string& PathText::function(std::uint32_t path) const {
    return names_[profile_.paths[path].function];
}

std::string_view PathText::caller(std::uint32_t path) const {
    const std::uint32_t parent = profile_.paths[path].parent;
    return parent == no_index ? std::string_view("----") : function(parent);
}

std::string PathText::call_path(std::uint32_t path) const {
    std::size_t levels = 0;
    for (std::uint32_t i = path; i != no_index; i = profile_.paths[i].parent)
        levels++;
    std::string text;
    std::size_t level = 0;
    for (std::uint32_t i = path; i != no_index; i = profile_.paths[i].parent, level++) {
        const bool left_out =
            levels > max_levels && level >= max_levels / 2 && level < levels - max_levels / 2;
        if (left_out && level > max_levels / 2)
            continue;
        if (level > 0)
            text += '<';
        text += left_out ? "..." : function(i);
    }
    return text;
}

}  // namespace vftrace
