// Formatting into std::string with printf's rules.
//
// The library lives inside C and Fortran programs and so may not need libstdc++: no iostream, no
// {fmt}. Numbers follow the C locale where a CLocale object is alive.
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

// The shortest text that reads back to the same double, with at least 15 digits to choose from:
// "0.1", "1e-06". Wants a CLocale.
std::string number_text(double value);

// The text between the separators, empty pieces included; "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// Without blanks, tabs and line ends at both ends.
std::string_view trim(std::string_view text);

// Whether there is a byte that terminals and readers of tables take for a command.
bool has_control_character(std::string_view text);

// Compares ASCII letters without regard to case.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// The last component of a path ("a/b" -> "b").
std::string_view base_name(std::string_view path);

// While one is alive, the calling thread prints and reads numbers with a decimal point, whatever
// the program's setlocale() said. Other threads are not touched.
class CLocale {
  public:
    CLocale();
    ~CLocale();
    CLocale(const CLocale&) = delete;
    CLocale& operator=(const CLocale&) = delete;

  private:
    locale_t previous_;
};

}  // namespace vftrace
