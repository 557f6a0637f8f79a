/* vftrace/parameters.h: records parameters, numbers that differ between runs of a program such as
 * the size of its input, in the profile. For C (C99 and later) and C++; part of vftrace.h.
 *
 * Example
 *
 *     #include <stdlib.h>
 *     #include <vftrace.h>
 *
 *     int main(int argc, char **argv) {
 *         int n = atoi(argv[1]);
 *         VFTRACE_PARAMETER(n);   // the profile shows n = 1000
 *         return solve(n);
 *     }
 *
 *     $ vftrace-cc example.c -o example && ./example 1000
 */
#ifndef VFTRACE_PARAMETERS_H
#define VFTRACE_PARAMETERS_H

#include <limits.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of a parameter in memory. */
enum vftrace_parameter_type {
    VFTRACE_PARAMETER_INTEGER,  /* signed, of 1, 2, 4 or 8 bytes */
    VFTRACE_PARAMETER_UNSIGNED, /* the same, unsigned */
    VFTRACE_PARAMETER_REAL,     /* float, double or long double */
    VFTRACE_PARAMETER_MEMORY    /* anything else: marked for the analysis, value not recorded */
};

/* Records a number that differs between runs of the program, such as the size of its input: the
 * profile shows its value, and `vftrace model` finds out how times grow with it. In a program that
 * was compiled for the analysis of parameters, this marks the memory of the variable instead, and
 * everything computed from it is followed (doc/parameters.md). Call it when the variable has its
 * value and before that value is used.
 *
 * variable: the address of the number; read once, during the call.
 * size:     of the variable in bytes; vftrace_parameter treats it as a signed integer. Sizes other
 *           than those above are reported once and not recorded, as is a real that is not finite.
 * name:     NUL-terminated text of up to 127 bytes without control characters, copied. Other names
 *           are reported once and not recorded, as are parameters after the first 256.
 *
 * If a parameter is recorded again, the last value is used, and the profile says so if the values
 * differ. May also be called before main and while profiling is paused. A child of fork inherits
 * the parameters of its parent. The profile of an MPI program has the values of the lowest rank,
 * and says where ranks differ. Numbers are stored as doubles: integers beyond 2^53 are rounded. */
void vftrace_parameter_typed(const void* variable, size_t size, const char* name,
                             enum vftrace_parameter_type type);
void vftrace_parameter(const void* variable, size_t size, const char* name);

/* In a program that was compiled for the analysis of parameters: whether the value of a variable of
 * this size depends on the parameter `name`, or on any if that is a null pointer. Otherwise 0. For
 * tests that a program computes from its parameters what its author thinks. */
int vftrace_parameter_has_label(const void* variable, size_t size, const char* name);
/* From here on the analysis takes the value for one that does not depend on the parameter `name`,
 * or on any if that is a null pointer. */
void vftrace_parameter_delete_labels(void* variable, size_t size, const char* name);

#ifdef __cplusplus
}
#endif

/* VFTRACE_PARAMETER(variable) records a variable of any arithmetic type under its own name.
 * Anything else does not compile. C99 compilers that have neither _Generic nor GNU extensions treat
 * unsigned types smaller than int as signed. */

#if CHAR_MIN < 0
#define VFTRACE_DETAIL_CHAR VFTRACE_PARAMETER_INTEGER
#else
#define VFTRACE_DETAIL_CHAR VFTRACE_PARAMETER_UNSIGNED
#endif

#ifdef __cplusplus

#if defined(__GNUC__)
#define VFTRACE_DETAIL_PARAMETER __attribute__((no_instrument_function, always_inline)) inline
#else
#define VFTRACE_DETAIL_PARAMETER inline
#endif

namespace vftrace {
namespace detail {

/* long long is not part of C++98; pedantic compilers warn about it. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif
typedef long long parameter_long;
typedef unsigned long long parameter_unsigned_long;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#define VFTRACE_DETAIL_OVERLOAD(function, type, kind)                                              \
    VFTRACE_DETAIL_PARAMETER void function(const volatile type* variable, const char* name) {      \
        vftrace_parameter_typed(const_cast<const type*>(variable), sizeof *variable, name, kind);  \
    }
/* Overloads instead of a template, so that pointers, enumerations and classes do not compile. */
#define VFTRACE_DETAIL_OVERLOADS(function)                                                         \
    VFTRACE_DETAIL_OVERLOAD(function, bool, VFTRACE_PARAMETER_UNSIGNED)                            \
    VFTRACE_DETAIL_OVERLOAD(function, char, VFTRACE_DETAIL_CHAR)                                   \
    VFTRACE_DETAIL_OVERLOAD(function, signed char, VFTRACE_PARAMETER_INTEGER)                      \
    VFTRACE_DETAIL_OVERLOAD(function, unsigned char, VFTRACE_PARAMETER_UNSIGNED)                   \
    VFTRACE_DETAIL_OVERLOAD(function, short, VFTRACE_PARAMETER_INTEGER)                            \
    VFTRACE_DETAIL_OVERLOAD(function, unsigned short, VFTRACE_PARAMETER_UNSIGNED)                  \
    VFTRACE_DETAIL_OVERLOAD(function, int, VFTRACE_PARAMETER_INTEGER)                              \
    VFTRACE_DETAIL_OVERLOAD(function, unsigned, VFTRACE_PARAMETER_UNSIGNED)                        \
    VFTRACE_DETAIL_OVERLOAD(function, long, VFTRACE_PARAMETER_INTEGER)                             \
    VFTRACE_DETAIL_OVERLOAD(function, unsigned long, VFTRACE_PARAMETER_UNSIGNED)                   \
    VFTRACE_DETAIL_OVERLOAD(function, ::vftrace::detail::parameter_long,                           \
                            VFTRACE_PARAMETER_INTEGER)                                             \
    VFTRACE_DETAIL_OVERLOAD(function, ::vftrace::detail::parameter_unsigned_long,                  \
                            VFTRACE_PARAMETER_UNSIGNED)                                            \
    VFTRACE_DETAIL_OVERLOAD(function, float, VFTRACE_PARAMETER_REAL)                               \
    VFTRACE_DETAIL_OVERLOAD(function, double, VFTRACE_PARAMETER_REAL)                              \
    VFTRACE_DETAIL_OVERLOAD(function, long double, VFTRACE_PARAMETER_REAL)
VFTRACE_DETAIL_OVERLOADS(record_parameter)

} /* namespace detail */
} /* namespace vftrace */

#define VFTRACE_PARAMETER(variable) ::vftrace::detail::record_parameter(&(variable), #variable)

#else

#if defined(__GNUC__)
#define VFTRACE_DETAIL_GENERIC __extension__ _Generic
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define VFTRACE_DETAIL_GENERIC _Generic
#endif

#ifdef VFTRACE_DETAIL_GENERIC
/* clang-format off */
#define VFTRACE_DETAIL_TYPE(variable)                                                              \
    VFTRACE_DETAIL_GENERIC((variable),                                                             \
        float: VFTRACE_PARAMETER_REAL,                                                             \
        double: VFTRACE_PARAMETER_REAL,                                                            \
        long double: VFTRACE_PARAMETER_REAL,                                                       \
        _Bool: VFTRACE_PARAMETER_UNSIGNED,                                                         \
        unsigned char: VFTRACE_PARAMETER_UNSIGNED,                                                 \
        unsigned short: VFTRACE_PARAMETER_UNSIGNED,                                                \
        unsigned: VFTRACE_PARAMETER_UNSIGNED,                                                      \
        unsigned long: VFTRACE_PARAMETER_UNSIGNED,                                                 \
        unsigned long long: VFTRACE_PARAMETER_UNSIGNED,                                            \
        char: VFTRACE_DETAIL_CHAR,                                                                 \
        signed char: VFTRACE_PARAMETER_INTEGER,                                                    \
        short: VFTRACE_PARAMETER_INTEGER,                                                          \
        int: VFTRACE_PARAMETER_INTEGER,                                                            \
        long: VFTRACE_PARAMETER_INTEGER,                                                           \
        long long: VFTRACE_PARAMETER_INTEGER)
/* clang-format on */
#else
/* Finds the type from the results of 1 / 2 and 0 - 1 in its arithmetic. */
#define VFTRACE_DETAIL_TYPE(variable)                                                              \
    ((1 ? 1 : (variable)) / 2 != 0  ? VFTRACE_PARAMETER_REAL                                       \
     : (1 ? 0 : (variable)) - 1 > 0 ? VFTRACE_PARAMETER_UNSIGNED                                   \
                                    : VFTRACE_PARAMETER_INTEGER)
#endif

#define VFTRACE_PARAMETER(variable)                                                                \
    vftrace_parameter_typed((const void*)&(variable), sizeof(variable), #variable,                 \
                            VFTRACE_DETAIL_TYPE(variable))

#endif

#endif
