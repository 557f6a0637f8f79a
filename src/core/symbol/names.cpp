// Cleaning of Fortran symbols and shortening of names for tables.
#include "symbol/names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {

namespace {

// Length of `name` without Intel's suffix `.t<digits>p`.
std::size_t length_without_intel_suffix(std::string_view name) {
    if (!name.ends_with('p'))
        return name.size();
    std::size_t digits = name.size() - 1;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool is_suffix = digits < name.size() - 1 && name.substr(0, digits).ends_with(".t");
    return is_suffix ? digits - 2 : name.size();
}

// How many bytes the first `count` code points take; `text` has at least as many.
std::size_t bytes_of_code_points(std::string_view text, std::size_t count) {
    std::size_t bytes = 0;
    for (; count > 0; count--)
        bytes += first_code_point(text.substr(bytes)).bytes;
    return bytes;
}

constexpr std::string_view dots = "...";

// `text` from code point `from` on, `count` of them. Both are inside the text.
std::string_view code_points(std::string_view text, std::size_t from, std::size_t count) {
    text.remove_prefix(bytes_of_code_points(text, from));
    return text.substr(0, bytes_of_code_points(text, count));
}

// Shortens a name so that code point `kept` is shown, with some of those behind it.
std::string shorten_around(std::string_view name, std::size_t kept, std::size_t columns) {
    const std::size_t length = count_code_points(name);
    const std::size_t room = columns > 2 * dots.size() ? columns - 2 * dots.size() : 0;
    const std::size_t end = room / 4, middle = room - 2 * end;
    const std::size_t before = std::min(kept, middle / 4);
    const std::size_t from = std::max(kept - before, end);
    std::string text;
    if (from + middle + end >= length) {
        const std::size_t last = columns - end - dots.size();
        text = code_points(name, 0, end);
        text += dots;
        text += code_points(name, length - last, last);
        return text;
    }
    if (from <= end + dots.size()) {
        text = code_points(name, 0, columns - end - dots.size());
    } else {
        text = code_points(name, 0, end);
        text += dots;
        text += code_points(name, from, middle);
    }
    text += dots;
    text += code_points(name, length - end, end);
    return text;
}

using NameGroup = std::vector<std::size_t>;

std::size_t common_code_points(const std::vector<std::string_view>& names, const NameGroup& group) {
    std::string_view common = names[group.front()];
    for (const std::size_t name : group) {
        const auto differ =
            std::mismatch(common.begin(), common.end(), names[name].begin(), names[name].end());
        common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
    }
    return count_code_points(common);
}

// Calls visit(NameGroup) for each group of names that look the same; it may change what is shown of
// these.
template <class Visit>
void visit_similar(NameGroup group, const std::vector<std::string>& shown, Visit visit) {
    std::sort(group.begin(), group.end(),
              [&](std::size_t a, std::size_t b) { return shown[a] < shown[b]; });
    NameGroup same;
    for (std::size_t begin = 0, end = 0; begin < group.size(); begin = end) {
        while (end < group.size() && shown[group[end]] == shown[group[begin]])
            end++;
        if (end - begin < 2)
            continue;
        same.assign(group.begin() + static_cast<std::ptrdiff_t>(begin),
                    group.begin() + static_cast<std::ptrdiff_t>(end));
        visit(same);
    }
}

// Makes the names of a group, all longer than `columns`, look different in `shown`.
void separate(const std::vector<std::string_view>& names, const NameGroup& group,
              std::size_t columns, std::vector<std::string>& shown) {
    const std::size_t common = common_code_points(names, group);
    for (const std::size_t name : group)
        shown[name] = shorten_around(names[name], common, columns);
    visit_similar(group, shown, [&](const NameGroup& similar) {
        if (similar.size() < group.size())
            separate(names, similar, columns, shown);
    });
}

}  // namespace

std::string name_without_symbol(std::string_view path, std::uint64_t offset) {
    auto value = static_cast<unsigned long long>(offset);
    if (path.empty())
        return format("(0x%016llx)", value);
    return format("%s+0x%llx", std::string(base_name(path)).c_str(), value);
}

std::string clean_name(std::string_view symbol) {
    std::string_view name = symbol;
    for (;;) {
        std::string_view shorter = name.substr(0, length_without_intel_suffix(name));
        shorter = shorter.substr(0, shorter.find_last_not_of('_') + 1);  // npos + 1 == 0
        if (shorter.empty() || shorter.size() == name.size())
            return std::string(name);
        name = shorter;
    }
}

std::string fortran_name(const std::string& symbol) {
    constexpr std::string_view gfortran = "_MOD_", intel = "_mp_", prefix = "__";
    if (symbol.starts_with(prefix))
        if (const std::size_t at = symbol.find(gfortran, prefix.size() + 1);
            at != std::string::npos && at + gfortran.size() < symbol.size())
            return symbol.substr(prefix.size(), at - prefix.size()) +
                   "::" + symbol.substr(at + gfortran.size());
    if (const std::size_t at = symbol.find(intel); at != std::string::npos && at > 0 &&
                                                   symbol.back() == '_' &&
                                                   at + intel.size() + 1 < symbol.size())
        return symbol.substr(0, at) +
               "::" + symbol.substr(at + intel.size(), symbol.size() - at - intel.size() - 1);
    return symbol;
}

std::string strip_module_name(std::string_view name) {
    constexpr std::string_view separators[] = {"_MOD_", "_MP_", "_mp_"};
    for (std::string_view separator : separators) {
        std::size_t at = name.find(separator);
        if (at == std::string_view::npos)
            continue;
        std::string_view rest = name.substr(at + separator.size());
        return std::string(rest.empty() ? name : rest);
    }
    return std::string(name);
}

std::string shorten_middle(std::string_view name, std::size_t columns) {
    std::size_t length = count_code_points(name);
    if (length <= columns)
        return std::string(name);
    std::size_t kept = columns > dots.size() ? columns - dots.size() : 0;
    std::string out(name.substr(0, bytes_of_code_points(name, (kept + 1) / 2)));
    out += dots;
    out += name.substr(bytes_of_code_points(name, length - kept / 2));
    return out;
}

std::vector<std::string> shorten_apart(const std::vector<std::string_view>& names,
                                       std::size_t columns) {
    std::vector<std::string> shown;
    NameGroup all;
    shown.reserve(names.size());
    for (const std::string_view name : names) {
        all.push_back(shown.size());
        shown.push_back(shorten_middle(name, columns));
    }
    visit_similar(all, shown,
                  [&](const NameGroup& similar) { separate(names, similar, columns, shown); });
    return shown;
}

}  // namespace vftrace
