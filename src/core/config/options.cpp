// Names of options in the environment and in messages, and the sections they form.
#include "config/options.hpp"

#include <algorithm>

namespace vftrace {

std::string environment_name(std::string_view path) {
    std::string name = "VFTR_";
    for (char c : path)
        name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return name;
}

std::string join_path(std::string_view section, std::string_view key) {
    std::string path(section);
    if (!path.empty())
        path += '.';
    return path.append(key);
}

std::vector<std::string_view> keys_of_section(std::string_view section) {
    std::string prefix = join_path(section, "");
    std::vector<std::string_view> keys;
    for (const OptionRow& row : option_table) {
        if (!row.path.starts_with(prefix))
            continue;
        std::string_view rest = row.path.substr(prefix.size());
        std::string_view key = rest.substr(0, rest.find('.'));
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            keys.push_back(key);
    }
    return keys;
}

bool is_section(std::string_view path) {
    std::string prefix = std::string(path) + '.';
    return std::any_of(option_table.begin(), option_table.end(),
                       [&](const OptionRow& row) { return row.path.starts_with(prefix); });
}

}  // namespace vftrace
