#include "symbol/handler_names.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace vftrace {
namespace {

constexpr std::string_view opening = "<([{", closing = ">)]}";

bool contains(std::string_view characters, char c) {
    return characters.find(c) != std::string_view::npos;
}

bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '~';
}

// From `at` to where the bracket there, or what contains it, closes, or to one of `ends` at that
// level.
std::size_t end_of_part(std::string_view text, std::size_t at, std::string_view ends) {
    int depth = 0;
    for (; at < text.size(); at++) {
        if (depth == 0 && contains(ends, text[at]))
            break;
        if (contains(opening, text[at]))
            depth++;
        else if (contains(closing, text[at]) && depth-- == 0)
            break;
    }
    return at;
}

// The first character of the qualified name that ends before `at`.
std::size_t begin_of_name(std::string_view text, std::size_t at) {
    int depth = 0;
    while (at > 0) {
        const char c = text[at - 1];
        if (contains(closing, c))
            depth++;
        else if (depth == 0 && (contains(opening, c) || c == ',' || c == '='))
            break;
        else if (contains(opening, c))
            depth--;
        at--;
    }
    while (at < text.size() && text[at] == ' ')
        at++;
    return at;
}

std::string_view type_in(std::string_view declaration) {
    constexpr std::string_view name = "Operation = ";
    const std::size_t at = declaration.rfind(name);
    if (at == std::string_view::npos)
        return {};
    const std::size_t begin = at + name.size();
    return declaration.substr(begin, end_of_part(declaration, begin, ";") - begin);
}

// "(lambda at /tmp/server:12:34)", as Clang writes it.
bool read_place(std::string_view type, HandlerName& found) {
    constexpr std::string_view begin = "(lambda at ";
    const std::size_t at = type.rfind(begin);
    if (at == std::string_view::npos)
        return false;
    const std::size_t end = end_of_part(type, at + 1, {});
    std::string_view place = type.substr(at + begin.size(), end - at - begin.size());
    place = place.substr(0, place.rfind(':'));
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos)
        return false;
    found.name = "{lambda}";
    found.file = place.substr(0, colon);
    found.line = std::atoi(std::string(place.substr(colon + 1)).c_str());
    return true;
}

bool is_of_program(std::string_view name) {
    constexpr std::string_view words[] = {
        "void",     "bool",    "char",     "short", "int",      "long",      "unsigned", "signed",
        "float",    "auto",    "double",   "const", "volatile", "class",     "struct",   "enum",
        "decltype", "nullptr", "noexcept", "true",  "false",    "anonymous", "namespace"};
    constexpr std::string_view libraries[] = {"asio::", "boost::", "std::", "__"};
    return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name != "::" &&
           std::find(std::begin(words), std::end(words), name) == std::end(words) &&
           std::none_of(std::begin(libraries), std::end(libraries),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// The first name in the type that is the program's; empty: none.
std::string_view program_name(std::string_view type) {
    for (std::size_t i = 0; i < type.size(); i++) {
        if (!is_of_name(type[i]))
            continue;
        const std::size_t begin = i;
        while (i < type.size() && is_of_name(type[i]))
            i++;
        std::string_view name = type.substr(begin, i - begin);
        while (name.starts_with("::"))  // of an unnamed namespace
            name.remove_prefix(2);
        while (name.ends_with("::"))  // of a pointer to a member
            name.remove_suffix(2);
        if (is_of_program(name))
            return name;
    }
    return {};
}

std::string_view name_in(std::string_view type) {
    std::size_t open = 0;
    while (open < type.size() && is_of_name(type[open]))
        open++;
    const std::string_view head = type.substr(0, open);
    const bool is_library = head.starts_with("asio::") || head.starts_with("boost::asio::");
    if (!is_library || open == type.size() || type[open] != '<')
        return program_name(type);
    std::vector<std::string_view> arguments;
    for (std::size_t at = open + 1; at < type.size();) {
        const std::size_t end = end_of_part(type, at, ",");
        arguments.push_back(type.substr(at, end - at));
        at = end < type.size() && type[end] == ',' ? end + 2 : type.size();
    }
    std::string_view name;  // the handler is the last argument that may be one
    while (!arguments.empty() && name.empty()) {
        name = name_in(arguments.back());
        arguments.pop_back();
    }
    return name;
}

}  // namespace

HandlerName name_of_handler(std::string_view declaration) {
    HandlerName found;
    const std::string_view type = type_in(declaration);
    constexpr std::string_view lambda = "<lambda(";
    if (const std::size_t at = type.rfind(lambda); at != std::string_view::npos) {
        const std::size_t begin = begin_of_name(type, at);
        found.name = type.substr(begin, end_of_part(type, at + 1, {}) + 1 - begin);
    } else if (!read_place(type, found)) {
        found.name = name_in(type);
    }
    return found;
}

}  // namespace vftrace
