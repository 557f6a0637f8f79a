// Conversions of the C library that the sanitizer's own list does not cover: the result has the
// labels of the characters from which it was converted.
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "taint/runtime/parameters.hpp"
#include "taint/runtime/sanitizer.hpp"

namespace vftrace::taint {
namespace {

// From the first character to the one after the number, which was also read.
Label label_of_text(const char* text, const char* end) {
    return label_at(text, static_cast<std::size_t>(end - text) + 1);
}

template <typename Number, typename Convert>
Number converted(const char* text, char** end, Label* result, Convert convert) {
    char* own_end = nullptr;
    const Number number = convert(text, &own_end);
    *result = label_of_text(text, own_end);
    if (end) {
        *end = own_end;
        dfsan_set_label(0, end, sizeof *end);
    }
    return number;
}

}  // namespace
}  // namespace vftrace::taint

using namespace vftrace::taint;

extern "C" {

#define VFTRACE_DECIMAL(function, type, convert)                                                   \
    type __dfsw_##function(const char* text, Label, Label* result) {                               \
        return converted<type>(text, nullptr, result, [](const char* from, char** end) {           \
            return static_cast<type>(convert(from, end, 10));                                      \
        });                                                                                        \
    }
VFTRACE_DECIMAL(atoi, int, std::strtol)
VFTRACE_DECIMAL(atol, long, std::strtol)
VFTRACE_DECIMAL(atoll, long long, std::strtoll)

double __dfsw_atof(const char* text, Label, Label* result) {
    return converted<double>(text, nullptr, result, std::strtod);
}

#define VFTRACE_WITH_BASE(function, type, convert)                                                 \
    type __dfsw_##function(const char* text, char** end, int base, Label, Label, Label base_label, \
                           Label* result) {                                                        \
        const type number =                                                                        \
            converted<type>(text, end, result, [=](const char* from, char** own_end) {             \
                return convert(from, own_end, base);                                               \
            });                                                                                    \
        *result |= base_label;                                                                     \
        return number;                                                                             \
    }
VFTRACE_WITH_BASE(strtoimax, std::intmax_t, strtoimax)
VFTRACE_WITH_BASE(strtoumax, std::uintmax_t, strtoumax)

#define VFTRACE_REAL(function, type)                                                               \
    type __dfsw_##function(const char* text, char** end, Label, Label, Label* result) {            \
        return converted<type>(text, end, result, std::function);                                  \
    }
VFTRACE_REAL(strtof, float)
VFTRACE_REAL(strtold, long double)

// Setting a variable copies its value, together with the labels.
int __dfsw_setenv(const char* name, const char* value, int overwrite, Label, Label, Label,
                  Label* result) {
    *result = 0;
    const char* before = getenv(name);
    const int status = setenv(name, value, overwrite);
    const char* now = getenv(name);
    if (status == 0 && now && (overwrite || !before))
        dfsan_mem_shadow_transfer(const_cast<char*>(now), value, std::strlen(value) + 1);
    return status;
}

char* __dfsw_getenv(const char* name, Label, Label* result) {
    *result = 0;
    return getenv(name);
}

}  // extern "C"
