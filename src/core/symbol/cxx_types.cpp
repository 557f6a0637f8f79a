// Simplifying template arguments: which arguments are defaults, and which types have short names.
#include "symbol/cxx_types.hpp"

#include "symbol/cxx_scan.hpp"

#include <algorithm>

namespace vftrace {

namespace {

constexpr std::size_t npos = std::string_view::npos;

// Names that are nested more deeply are machine-generated; their inner parts stay as they are.
// Limits the use of the stack.
constexpr int deepest_nesting = 100;

// Templates of namespace std and their defaulted arguments, separated by blanks, in which $1 and $2
// stand for the first and the second argument.
struct DefaultedArguments {
    std::string_view templates;  // separated by blanks
    std::size_t required;        // arguments without a default
    std::string_view defaults;
};

#define PAIR_ALLOCATOR "std::allocator<std::pair<$1~const,$2>>"
constexpr DefaultedArguments defaulted_arguments[] = {
    {"vector deque list forward_list", 1, "std::allocator<$1>"},
    {"set multiset", 1, "std::less<$1> std::allocator<$1>"},
    {"map multimap", 2, "std::less<$1> " PAIR_ALLOCATOR},
    {"unordered_set unordered_multiset", 1, "std::hash<$1> std::equal_to<$1> std::allocator<$1>"},
    {"unordered_map unordered_multimap", 2, "std::hash<$1> std::equal_to<$1> " PAIR_ALLOCATOR},
    {"unique_ptr", 1, "std::default_delete<$1>"},
    {"stack queue", 1, "std::deque<$1>"},
    {"priority_queue", 1, "std::vector<$1> std::less<$1>"},
    {"basic_string basic_stringbuf basic_stringstream basic_istringstream basic_ostringstream", 1,
     "std::char_traits<$1> std::allocator<$1>"},
    {"basic_string_view basic_ios basic_streambuf basic_istream basic_ostream basic_iostream "
     "basic_filebuf basic_fstream basic_ifstream basic_ofstream istreambuf_iterator "
     "ostreambuf_iterator",
     1, "std::char_traits<$1>"},
};
#undef PAIR_ALLOCATOR

// std::basic_X<character> is std::prefixX for all of the templates basic_X above. The character
// types after the second exist only for strings.
constexpr struct {
    std::string_view character;
    std::string_view prefix;
} character_types[] = {
    {"char", ""}, {"wchar_t", "w"}, {"char8_t", "u8"}, {"char16_t", "u16"}, {"char32_t", "u32"}};

// Parts of names that exist for the linker only.
constexpr struct {
    std::string_view outer;
    std::string_view inner;
} inline_namespaces[] = {{"std::", "__cxx11::"},
                         {"std::filesystem::", "__cxx11::"},
                         {"std::", "__1::"},
                         {"std::chrono::", "_V2::"},
                         {"std::", "_V2::"}};

bool ends_with_name(std::string_view text, std::string_view name) {
    if (!text.ends_with(name))
        return false;
    std::size_t start = text.size() - name.size();
    return start == 0 || (!is_identifier_character(text[start - 1]) && text[start - 1] != ':');
}

// Calls `use` with every piece between blanks until it returns true; returns whether it did.
template <class Use>
bool any_word(std::string_view words, Use use) {
    while (!words.empty()) {
        std::size_t blank = words.find(' ');
        if (use(words.substr(0, blank)))
            return true;
        words = blank == npos ? std::string_view() : words.substr(blank + 1);
    }
    return false;
}

// `pattern` with $1, $2 replaced by the arguments and ~ by a blank.
std::string filled_in(std::string_view pattern, const std::vector<std::string>& arguments) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); i++) {
        if (pattern[i] == '$')
            out += arguments[static_cast<std::size_t>(pattern[++i] - '1')];
        else
            out += pattern[i] == '~' ? ' ' : pattern[i];
    }
    return out;
}

// The template name without namespace if `name` ends in std::<a name of the row>, else "".
std::string_view standard_template(std::string_view name, const DefaultedArguments& row) {
    constexpr std::string_view prefix = "std::";
    std::size_t start = name.rfind(':') + 1;  // npos + 1 == 0
    std::string_view last = name.substr(start);
    if (!ends_with_name(name.substr(0, start), prefix) ||
        !any_word(row.templates, [&](std::string_view word) { return word == last; }))
        return {};
    return last;
}

// Drops the trailing arguments that are defaults of `row`.
void drop_defaults(std::vector<std::string>& arguments, const DefaultedArguments& row) {
    if (arguments.size() <= row.required)
        return;
    std::vector<std::string> defaults;
    any_word(row.defaults, [&](std::string_view pattern) {
        defaults.push_back(filled_in(pattern, arguments));
        return false;
    });
    if (arguments.size() > row.required + defaults.size())
        return;
    while (arguments.size() > row.required &&
           arguments.back() == defaults[arguments.size() - 1 - row.required])
        arguments.pop_back();
}

void append_list(std::string& out, const std::vector<std::string>& pieces) {
    for (std::size_t i = 0; i < pieces.size(); i++)
        out += (i ? "," : "") + pieces[i];
}

bool keeps_defaults(DefaultedTypes& defaulted, std::string_view name,
                    const std::vector<std::string>& arguments) {
    std::string type(name);
    append_list(type += '<', arguments);
    auto at = std::find(defaulted.types.begin(), defaulted.types.end(), type);
    const auto number = static_cast<std::size_t>(at - defaulted.types.begin());
    if (at == defaulted.types.end())
        defaulted.types.push_back(std::move(type));
    return number < 32 && defaulted.kept >> number & 1;
}

// Puts "<arguments>" after the template name that `out` ends with.
void append_template_arguments(std::string& out, std::vector<std::string> arguments,
                               DefaultedTypes* defaulted) {
    for (const DefaultedArguments& row : defaulted_arguments) {
        std::string_view name = standard_template(out, row);
        if (name.empty())
            continue;
        std::vector<std::string> all = arguments;
        drop_defaults(arguments, row);
        constexpr std::string_view basic = "basic_";
        const bool has_typedefs = name.starts_with(basic) && arguments.size() == 1;
        bool string_like = name == "basic_string" || name == "basic_string_view";
        for (const auto& type : character_types)
            if (has_typedefs && arguments[0] == type.character &&
                (string_like || type.prefix.size() < 2)) {
                std::size_t at = out.size() - name.size();
                out.replace(at, basic.size(), type.prefix);
                return;
            }
        if (defaulted && all.size() > arguments.size() &&
            keeps_defaults(*defaulted, name, arguments))
            arguments = std::move(all);
        break;
    }
    append_list(out += '<', arguments);
    out += '>';
}

std::string simplify(std::string_view text, int depth, DefaultedTypes* defaulted);

std::vector<std::string> simplified_arguments(std::string_view list, int depth,
                                              DefaultedTypes* defaulted) {
    std::vector<std::string> arguments;
    std::size_t start = 0;
    bool after_operator = false;
    for (std::size_t at = 0; at < list.size();) {
        char c = list[at];
        if (is_operator(list, at)) {
            at = operator_end(list, at);
            after_operator = true;
            continue;
        }
        if (c == '(' || c == '[' || c == '{' || c == '"' ||
            (c == '<' && (after_operator || opens_template_arguments(list, at)))) {
            at = group_end(list, at);
            if (at == npos)
                break;
        } else {
            if (c == ',') {
                arguments.push_back(simplify(list.substr(start, at - start), depth, defaulted));
                start = at + 1;
            }
            at++;
        }
        after_operator = false;
    }
    arguments.push_back(simplify(list.substr(start), depth, defaulted));
    return arguments;
}

// Length of an inline namespace at the beginning of `rest`, 0 if there is none.
std::size_t inline_namespace_length(std::string_view out, std::string_view rest) {
    for (const auto& space : inline_namespaces)
        if (rest.starts_with(space.inner) && ends_with_name(out, space.outer))
            return space.inner.size();
    return 0;
}

std::string simplify(std::string_view text, int depth, DefaultedTypes* defaulted) {
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    if (depth > deepest_nesting)
        return std::string(text);
    std::string out;
    bool after_operator = false;
    for (std::size_t at = 0; at < text.size();) {
        char c = text[at];
        if (is_operator(text, at)) {
            std::size_t end = operator_end(text, at);
            out += text.substr(at, end - at);
            if (out.ends_with('<') && end < text.size() && text[end] == '<')
                out += ' ';  // as GNU's demangler writes it: `operator< <int>`
            at = end;
            after_operator = true;
            continue;
        }
        bool template_arguments =
            c == '<' && (after_operator || opens_template_arguments(text, at));
        after_operator = false;
        if (std::size_t length = inline_namespace_length(out, text.substr(at))) {
            at += length;
            continue;
        }
        if (template_arguments || c == '(' || c == '[' || c == '{' || c == '"') {
            std::size_t end = group_end(text, at);
            if (end == npos)
                return out.append(text.substr(at));
            std::string_view inner = text.substr(at + 1, end - at - 2);
            if (c == '[' && inner.starts_with("abi:")) {
                // An ABI tag is not part of the name.
            } else if (c == '"') {
                out += text.substr(at, end - at);
            } else {
                std::vector<std::string> pieces = simplified_arguments(inner, depth + 1, defaulted);
                if (template_arguments) {
                    append_template_arguments(out, std::move(pieces), defaulted);
                } else {
                    append_list(out += c, pieces);
                    out += text[end - 1];
                }
            }
            at = end;
            continue;
        }
        out += c;
        at++;
    }
    return out;
}

}  // namespace

std::string simplify_cxx_types(std::string_view text, DefaultedTypes* defaulted) {
    return simplify(text, 0, defaulted);
}

}  // namespace vftrace
