// Navigating in demangled C++ text: brackets, operators, words.
//
// Demanglers print declarations and expressions without a grammar that could be parsed exactly
// (`<` may open template arguments or be a comparison). These functions know the forms that GNU's
// and LLVM's demanglers print; with anything else they stay inside the text and terminate.
#pragma once

#include <cstddef>
#include <string_view>

namespace vftrace {

bool is_identifier_character(char c);

// How demanglers write an unnamed namespace: these parentheses are not a parameter list.
inline constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

// True if the word `operator` begins at `at`.
bool is_operator(std::string_view text, std::size_t at);

// For an operator at `at`: the position after its symbol (`operator<<`, `operator new[]`,
// `operator""_km`), or after the word `operator` and its blank for a conversion to a type.
std::size_t operator_end(std::string_view text, std::size_t at);

// For a conversion operator whose type begins at `at`: the position after the type.
std::size_t conversion_type_end(std::string_view text, std::size_t at);

// True if the `<` at `at` opens template arguments and is not a comparison.
bool opens_template_arguments(std::string_view text, std::size_t at);

// For an opening bracket or quotation mark at `at`: the position after its partner, npos if the
// text ends before that.
std::size_t group_end(std::string_view text, std::size_t at);

// True if the parenthesis at `at` declares a pointer or reference, as in `void (*f(int))(double)`.
bool is_declarator(std::string_view text, std::size_t at);

}  // namespace vftrace
