#include "report/path_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"
#include "symbol/names.hpp"

namespace vftrace {

namespace {

std::vector<std::string> names_apart(const Profile& profile, std::size_t max_name_width) {
    std::vector<std::string> whole;
    whole.reserve(profile.functions.size());
    for (const Function& function : profile.functions)
        whole.push_back(printable(function.display));
    std::vector<std::string_view> names(whole.begin(), whole.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const std::vector<std::string> shown = shorten_apart(names, max_name_width);
    std::vector<std::string> result;
    result.reserve(whole.size());
    for (const std::string& name : whole)
        result.push_back(shown[static_cast<std::size_t>(
            std::lower_bound(names.begin(), names.end(), name) - names.begin())]);
    return result;
}

}  // namespace

constexpr std::size_t half = PathText::max_levels / 2;

PathText::PathText(const Profile& profile, std::size_t max_name_width, CutNames cut)
    : profile_(profile), max_name_width_(max_name_width) {
    names_.reserve(profile.functions.size());
    if (cut == CutNames::in_the_middle)
        for (const Function& function : profile.functions)
            names_.push_back(shown(function.display));
    else
        names_ = names_apart(profile, max_name_width);
    levels_.reserve(profile.paths.size());
    near_root_.reserve(profile.paths.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const std::uint32_t parent = profile.paths[i].parent;
        levels_.push_back(parent == no_index ? 1 : levels_[parent] + 1);
        near_root_.push_back(levels_.back() <= half ? i : near_root_[parent]);
    }
}

std::string PathText::shown(std::string_view name) const {
    return shorten_middle(printable(name), max_name_width_);
}

std::string PathText::task(std::string_view name) const {
    constexpr std::size_t least_width = 40;
    const std::size_t at = name.ends_with(')') ? name.rfind(" (") : std::string_view::npos;
    const std::string_view place = at == std::string_view::npos ? "" : name.substr(at);
    return shorten_middle(printable(name.substr(0, at)), std::max(max_name_width_, least_width)) +
           printable(place);
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
    std::uint32_t at = path;
    if (levels_[path] > max_levels) {  // without a visit to all levels of a deep recursion
        for (std::size_t level = 0; level <= half; level++, at = profile_.paths[at].parent)
            names.push_back(function(at));
        at = near_root_[path];
    }
    for (; at != no_index; at = profile_.paths[at].parent)
        names.push_back(function(at));
    return joined_call_path(names);
}

std::string joined_call_path(const std::vector<std::string_view>& names) {
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
