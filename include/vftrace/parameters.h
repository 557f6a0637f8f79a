/* vftrace/parameters.h: numbers by which runs of a program differ, such as the size of its input,
 * as metadata of its profile. For C (C99 and later) and C++; part of vftrace.h.
 *
 * Example
 *
 *     #include <stdlib.h>
 *     #include <vftrace.h>
 *
 *     int main(int argc, char **argv) {
 *         int n = atoi(argv[1]);
 *         VFTRACE_PARAMETER(n);   // the profile says: n = 1000
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

/* What the memory of a parameter holds. */
enum vftrace_parameter_type {
    VFTRACE_PARAMETER_INTEGER,  /* signed, of 1, 2, 4 or 8 bytes */
    VFTRACE_PARAMETER_UNSIGNED, /* the same without sign */
    VFTRACE_PARAMETER_REAL,     /* float, double or long double */
    VFTRACE_PARAMETER_MEMORY    /* anything else: an analysis marks it, no value is recorded */
};

/* Records a number by which runs of the program differ, such as the size of its input: the profile
 * shows its value, and `vftrace model` finds out how the times grow with it. A program that was
 * compiled for the analysis of parameters has its memory marked instead, and what is computed from
 * it is followed (doc/parameters.md); call it when the variable has its value, before that is used.
 *
 * variable: where the number is; read once, now.
 * size:     of the variable in bytes. vftrace_parameter takes it for a signed integer. Other sizes
 *           than those above are told once and not recorded, and so is a real that is not finite.
 * name:     NUL-terminated text of up to 127 bytes without control characters, copied. Other names
 *           are told once and not recorded, and so are parameters after the first 256.
 *
 * Of a parameter that is recorded again the last value counts; the profile says so where values
 * differ. May also be called before main and while profiling is paused. A child of fork has the
 * parameters of its parent. Of an MPI program the profile has what the lowest rank recorded, and
 * says where ranks differ. Numbers are kept as doubles: integers beyond 2^53 are rounded. */
void vftrace_parameter_typed(const void* variable, size_t size, const char* name,
                             enum vftrace_parameter_type type);
void vftrace_parameter(const void* variable, size_t size, const char* name);

#ifdef __cplusplus
}
#endif

/* VFTRACE_PARAMETER(variable) does so for a variable of any arithmetic type, by its own name. What
 * is not a variable of such a type does not compile. Compilers for C99 that know neither _Generic
 * nor GNU's extensions take unsigned types that are smaller than int for signed ones. */

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

/* Unknown to C++98, as compilers say that are asked to be pedantic. */
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
/* By what the arithmetic of its type makes of 1 / 2 and of 0 - 1. */
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
