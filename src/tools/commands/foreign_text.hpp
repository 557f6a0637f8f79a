// How commands print: text that comes from files, processes and other users is shown, never obeyed
// by the terminal (base/utf8.hpp). So strings among the arguments of these functions are made
// printable; ends of lines belong into patterns. Commands call fmt::print() only for text that is
// theirs as a whole, or that its maker has made printable.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

#include "base/utf8.hpp"

namespace vftrace::tools {

template <class Value>
inline constexpr bool is_text = std::is_convertible_v<const Value&, std::string_view>;

// What becomes of an argument.
template <class Value>
using Shown = std::conditional_t<is_text<Value>, std::string, const Value&>;

template <class Value>
Shown<Value> shown_argument(const Value& value) {
    if constexpr (is_text<Value>)
        return printable(value);
    else
        return value;
}

// fmt::format() with printable arguments.
template <class... Values>
std::string shown(fmt::format_string<Shown<Values>...> pattern, const Values&... values) {
    return fmt::format(pattern, shown_argument(values)...);
}

// The same on standard output.
template <class... Values>
void show(fmt::format_string<Shown<Values>...> pattern, const Values&... values) {
    fmt::print(pattern, shown_argument(values)...);
}

// One line on stderr, after "vftrace: ".
void remark(const std::string& text);

}  // namespace vftrace::tools
