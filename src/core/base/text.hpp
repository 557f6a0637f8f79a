// Formatting into std::string with printf's rules.
//
// The library is loaded into C and Fortran programs and so must not need libstdc++: no iostream, no
// {fmt}. Numbers follow the C locale while a CLocale object exists.
#pragma once

#include <cstdarg>
#include <locale.h>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// Like sprintf, into a new string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// Like sprintf, to the end of `out`.
[[gnu::format(printf, 2, 3)]] void append_format(std::string& out, const char* pattern, ...);
void append_format_v(std::string& out, const char* pattern, std::va_list arguments);

// The shortest text that reads back as the same double, formatted with 15 to 17 digits: "0.1",
// "1e-06". Needs a CLocale.
std::string number_text(double value);

// The pieces of text between separators, including empty ones; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// The texts with the separator between them.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
    std::string line;
    bool is_first = true;
    for (const auto& text : texts) {
        if (!is_first)
            line += separator;
        line += text;
        is_first = false;
    }
    return line;
}

// The text without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

// Whether the text contains a byte that terminals and readers of tables interpret as a command.
bool has_control_character(std::string_view text);

// Compares ASCII letters without regard to case.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// The last component of a path ("a/b" -> "b").
std::string_view base_name(std::string_view path);

// While an object exists, the calling thread prints and reads numbers with a decimal point,
// whatever locale the program has set. Other threads are not affected.
class CLocale {
  public:
    CLocale();
    ~CLocale();
    CLocale(const CLocale&) = delete;
    CLocale& operator=(const CLocale&) = delete;

  private:
    locale_t previous_;
};

// "s" behind a noun of which there are not exactly one.
template <class Count>
constexpr const char* plural_s(Count count) {
    return count == Count{1} ? "" : "s";
}

}  // namespace vftrace
