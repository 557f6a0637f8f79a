// Lists of functions to leave out: for vftrace, for gcc, for Score-P.
#include "filter/filter_formats.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/json_string.hpp"
#include "base/utf8.hpp"
#include "filter/gcc_names.hpp"
#include "filter/worthless_functions.hpp"

namespace vftrace {
namespace {

// Names in profiles of others must not become further lines or options of a filter that is passed
// on to a compiler.
constexpr const char* has_controls = "its name has control characters";
bool has_control_characters(const std::string& name) { return printable(name) != name; }

// Calls write(symbol) for functions that have a symbol; records the others as omitted.
template <class Write>
void for_each_symbol(const Profile& profile, const std::vector<std::uint32_t>& functions,
                     FilterText& filter, Write write) {
    for (std::uint32_t function : functions) {
        const std::string& symbol = profile.functions[function].symbol;
        if (symbol.empty())
            filter.omitted.push_back({function, "it does not have a symbol"});
        else if (has_control_characters(symbol))
            filter.omitted.push_back({function, has_controls});
        else
            write(symbol);
    }
}

// The text with backslashes before the characters of `special`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (char c : text) {
        if (special.find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

// As a share of the time of all functions: functions with less may be left out too if gcc cannot
// distinguish them.
constexpr double least_share_to_keep = 0.001;

// Names of the functions that must stay, in gcc's spelling.
std::vector<std::pair<std::string, std::uint32_t>>
kept_names(const Profile& profile, const std::vector<std::uint32_t>& functions) {
    std::vector<bool> keep = functions_that_matter(profile, least_share_to_keep);
    for (std::uint32_t function : functions)
        keep[function] = false;
    std::vector<std::pair<std::string, std::uint32_t>> kept;
    for (std::uint32_t i = 0; i < profile.functions.size(); i++) {
        const Function& function = profile.functions[i];
        if (!keep[i] || function.kind != NodeKind::function)
            continue;
        std::vector<std::string> names = gcc_names(function);
        // If gcc's spelling is not known, that of the demangler is better than nothing.
        if (names.empty())
            names.push_back(function.demangled);
        for (std::string& name : names)
            kept.emplace_back(std::move(name), i);
    }
    return kept;
}

bool contains_one_of(const std::string& name, const std::vector<std::string>& elements) {
    return std::any_of(elements.begin(), elements.end(), [&](const std::string& element) {
        return name.find(element) != std::string::npos;
    });
}

// gcc passes all of its options to its subprograms in one environment variable, and Linux does not
// accept strings of 128 KiB or more there.
constexpr std::size_t longest_list = 100'000;

// The elements of gcc's list. An element that contains another one is dropped, because it has no
// effect.
class ElementList {
  public:
    // Returns false if there is no room for them.
    bool add(const std::vector<std::string>& names) {
        std::size_t size = size_;
        for (const std::string& name : names)
            size += escaped(name, ",").size() + 1;
        if (size > longest_list)
            return false;
        size_ = size;
        elements_.insert(elements_.end(), names.begin(), names.end());
        return true;
    }

    std::string text() {
        std::sort(elements_.begin(), elements_.end());
        elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
        std::string list;
        for (const std::string& element : elements_) {
            const bool contains_other =
                std::any_of(elements_.begin(), elements_.end(), [&](const std::string& other) {
                    return &other != &element && element.find(other) != std::string::npos;
                });
            if (!contains_other)
                list += (list.empty() ? "" : ",") + escaped(element, ",");
        }
        return list;
    }

  private:
    std::vector<std::string> elements_;
    std::size_t size_ = 0;
};

}  // namespace

FilterText filter_pattern(const Profile& profile, const std::vector<std::uint32_t>& functions) {
    FilterText filter;
    for_each_symbol(profile, functions, filter, [&](const std::string& symbol) {
        filter.text += filter.text.empty() ? "^(" : "|";
        filter.text += escaped(symbol, ".[]()*+?{}|^$\\");
    });
    if (!filter.text.empty())
        filter.text += ")$\n";
    return filter;
}

FilterText filter_configuration(const Profile& profile,
                                const std::vector<std::uint32_t>& functions) {
    FilterText filter = filter_pattern(profile, functions);
    if (filter.text.empty())
        return filter;
    filter.text.pop_back();
    filter.text =
        "{\n   \"filter\": {\n      \"exclude\": " + json_string(filter.text) + "\n   }\n}\n";
    return filter;
}

FilterText filter_for_gcc(const Profile& profile, const std::vector<std::uint32_t>& functions) {
    FilterText filter;
    ElementList elements;
    const auto kept = kept_names(profile, functions);
    for (std::uint32_t function : functions) {
        const std::vector<std::string> names = gcc_names(profile.functions[function]);
        const auto hit = std::find_if(kept.begin(), kept.end(), [&](const auto& other) {
            return contains_one_of(other.first, names);
        });
        if (names.empty())
            filter.omitted.push_back({function, "the name that gcc uses for it is not known"});
        else if (std::any_of(names.begin(), names.end(), has_control_characters))
            filter.omitted.push_back({function, has_controls});
        else if (hit != kept.end())
            filter.omitted.push_back({function, "gcc would then also leave out " +
                                                    profile.functions[hit->second].display});
        else if (!elements.add(names))
            filter.omitted.push_back({function, "the list is as long as gcc allows"});
    }
    // In a file of options, backslashes are interpreted once more, even in quotation marks.
    if (const std::string list = elements.text(); !list.empty())
        filter.text =
            "\"-finstrument-functions-exclude-function-list=" + escaped(list, "\\\"") + "\"\n";
    return filter;
}

FilterText filter_for_scorep(const Profile& profile, const std::vector<std::uint32_t>& functions) {
    FilterText filter;
    for_each_symbol(profile, functions, filter, [&](const std::string& symbol) {
        if (filter.text.empty())
            filter.text = "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE MANGLED\n";
        filter.text += "    " + escaped(symbol, "*?[]\\ #") + "\n";
    });
    if (!filter.text.empty())
        filter.text += "SCOREP_REGION_NAMES_END\n";
    return filter;
}

}  // namespace vftrace
