// Converts names from GNU's demangler to those that gcc prints.
#include "filter/gcc_names.hpp"

#include <algorithm>
#include <array>

#include "symbol/cxx_scan.hpp"
#include "symbol/cxx_types.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

// Built-in types, as demanglers and as gcc spell them; the longer ones first.
constexpr std::array<std::array<std::string_view, 2>, 7> type_names = {
    {{"unsigned long long", "long long unsigned int"},
     {"unsigned long", "long unsigned int"},
     {"unsigned short", "short unsigned int"},
     {"long double", "long double"},
     {"long long", "long long int"},
     {"long", "long int"},
     {"short", "short int"}}};

// Standard names that are longer in gcc's messages.
constexpr std::array<std::array<std::string_view, 2>, 3> standard_names = {
    {{"std::string_view", "std::basic_string_view<char>"},
     {"std::string", "std::__cxx11::basic_string<char>"},
     {"std::list<", "std::__cxx11::list<"}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the words of `name` are at position `at` and are not part of a longer word.
bool words_at(std::string_view text, std::size_t at, std::string_view name) {
    const std::size_t end = at + name.size();
    return text.substr(at).starts_with(name) &&
           (at == 0 || !is_identifier_character(text[at - 1])) &&
           (end == text.size() || !is_identifier_character(name.back()) ||
            !is_identifier_character(text[end]));
}

// Replaces built-in types and standard names, and removes the suffix of numbers ("3ul").
std::string with_gcc_words(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t taken = 0;
        auto try_table = [&](const auto& table) {
            for (const auto& [from, to] : table)
                if (taken == 0 && words_at(text, at, from)) {
                    out += to;
                    taken = from.size();
                }
        };
        try_table(type_names);
        try_table(standard_names);
        if (taken == 0 && is_digit(text[at]) &&
            (at == 0 || !is_identifier_character(text[at - 1]))) {
            while (at + taken < text.size() && is_digit(text[at + taken]))
                taken++;
            out += text.substr(at, taken);
            while (at + taken < text.size() && (text[at + taken] == 'u' || text[at + taken] == 'l'))
                taken++;
        }
        if (taken == 0) {
            out += text[at];
            taken = 1;
        }
        at += taken;
    }
    return out;
}

// One template argument or parameter: `char const*` -> `const char*`.
std::string with_const_first(std::string_view type) {
    constexpr std::string_view word = " const";
    for (std::size_t at = 0; at < type.size();) {
        if (type[at] == '*' || type[at] == '&')
            break;
        if (type[at] == '<') {
            at = group_end(type, at);
            continue;
        }
        if (type.substr(at).starts_with(word))
            return "const " + std::string(type.substr(0, at)) +
                   std::string(type.substr(at + word.size()));
        at++;
    }
    return std::string(type);
}

// Rewrites every list of template arguments in `name`: with blanks after commas and between closing
// brackets.
std::string with_gcc_arguments(std::string_view name) {
    std::string out;
    for (std::size_t at = 0; at < name.size();) {
        if (is_operator(name, at)) {
            const std::size_t end = operator_end(name, at);
            out += name.substr(at, end - at);
            at = end;
            continue;
        }
        const std::size_t end = name[at] == '<' ? group_end(name, at) : std::string_view::npos;
        if (end == std::string_view::npos) {
            out += name[at++];
            continue;
        }
        std::string_view list = name.substr(at + 1, end - at - 2);
        out += '<';
        for (std::size_t from = 0, to = 0; to <= list.size(); to++) {
            if (to < list.size() && (list[to] == '<' || list[to] == '(')) {
                to = std::min(group_end(list, to), list.size()) - 1;
            } else if (to == list.size() || list[to] == ',') {
                if (from > 0)
                    out += ", ";
                while (from < to && list[from] == ' ')
                    from++;
                out += with_const_first(with_gcc_arguments(list.substr(from, to - from)));
                from = to + 1;
            }
        }
        out += out.back() == '>' ? " >" : ">";
        at = end;
    }
    return out;
}

// For something local to a function, `f(int) const::Local::go`, the part after the function's name.
std::string_view behind_function(std::string_view name) {
    std::size_t start = 0;
    for (std::size_t at = 0; at < name.size();) {
        if (name[at] == '(' && !name.substr(at).starts_with(anonymous_namespace)) {
            at = std::min(group_end(name, at), name.size());
            for (std::string_view qualifier : {"", " const", " volatile", " &", " &&"})
                if (name.substr(at).starts_with(std::string(qualifier) + "::"))
                    start = at + qualifier.size() + 2;
        } else if (is_operator(name, at)) {
            at = operator_end(name, at);
        } else if (name[at] == '<' || name[at] == '{') {
            at = std::min(group_end(name, at), name.size());
        } else {
            at++;
        }
    }
    return name.substr(start);
}

// The part of a short name that begins with its last closure, `{lambda(int)#1}::operator()`, in
// gcc's spelling; "" if there is none.
std::string closure_name(std::string_view name) {
    constexpr std::string_view begin = "{lambda(";
    std::size_t at = std::string_view::npos;
    for (std::size_t i = 0; i < name.size();) {
        if (name.substr(i).starts_with(begin))
            at = i;
        if (is_operator(name, i))
            i = operator_end(name, i);
        else
            i = name[i] == '<' || name[i] == '{' ? group_end(name, i) : i + 1;
    }
    const std::size_t end = at == std::string_view::npos ? at : name.find(")#", at);
    const std::size_t close = end == std::string_view::npos ? end : name.find('}', end);
    if (close == std::string_view::npos)
        return {};
    const std::string_view parameters = name.substr(at + begin.size(), end - at - begin.size());
    // Converted like template arguments, which have the same form.
    std::string list = with_gcc_arguments("<" + std::string(parameters) + ">");
    list = list.substr(1, list.find_last_not_of(" >"));
    return "<lambda(" + list + ")>" + std::string(name.substr(close + 1));
}

// If there are more types than this, either all or none keep their defaulted arguments.
constexpr std::size_t most_chosen_types = 4;

// One of the spellings of the name; "" if it is unknown.
std::string spelling(std::string_view demangled, DefaultedTypes& defaulted) {
    std::string name = short_cxx_name(demangled, &defaulted);
    // Parameters show where the name of an enclosing function ends.
    DefaultedTypes of_whole = defaulted;
    const std::string whole = short_cxx_name_with_parameters(demangled, &of_whole);
    if (const std::string_view local = behind_function(whole); local.size() < whole.size()) {
        name = short_cxx_name(local, &of_whole);
        defaulted = of_whole;
    }
    replace_all(name, anonymous_namespace, "{anonymous}");
    name =
        with_gcc_words(name);  // first, because words may end in a bracket before one that follows
    if (const std::string closure = closure_name(name); !closure.empty())
        name = closure;
    else
        name = with_gcc_arguments(name);
    // Checks for remaining forms that only the demangler uses.
    std::string rest = name;
    for (std::string_view known : {"{anonymous}", "<lambda(", "operator()", "()::"})
        replace_all(rest, known, "");
    const bool is_abridged = rest.find("...") != std::string::npos;  // symbol/abridge.hpp
    const std::size_t brackets = rest.find_first_of("({'\"");
    return brackets == std::string::npos && !is_abridged ? name : std::string();
}

}  // namespace

std::vector<std::string> gcc_cxx_names(std::string_view demangled) {
    DefaultedTypes none;
    std::vector<std::string> names = {spelling(demangled, none)};
    if (names.front().empty())
        return {};
    auto add = [&](std::uint32_t kept) {
        DefaultedTypes some{.kept = kept, .types = {}};
        std::string name = spelling(demangled, some);
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(std::move(name));
    };
    const std::size_t types = none.types.size();
    if (types > most_chosen_types)
        add(~std::uint32_t{0});
    else
        for (std::uint32_t kept = 1; kept < 1u << types; kept++)
            add(kept);
    return names;
}

std::vector<std::string> gcc_names(const Function& function) {
    if (!function.demangled.empty())
        return gcc_cxx_names(function.demangled);
    if (function.symbol.empty())
        return {};
    // Removes the suffix of clones (`solve.constprop.0`). Symbols of C and Fortran do not contain
    // dots.
    return {strip_module_name(clean_name(function.symbol.substr(0, function.symbol.find('.'))))};
}

}  // namespace vftrace
