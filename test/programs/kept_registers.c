/* Functions that take and return values in registers of every kind: hooks in prologues and
   epilogues must not change them. Prints sums that are wrong if one value is. */
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>

#define HIDDEN __attribute__((noinline, noclone))

typedef double Vector4 __attribute__((vector_size(32)));
typedef double Vector8 __attribute__((vector_size(64)));
typedef struct {
    long integer;
    double real;
} Mixed;
typedef struct {
    long first, second;
} Pair;
typedef struct {
    double first, second;
} Point;

HIDDEN long integers(long a, long b, long c, long d, long e, long f, long g) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
HIDDEN double reals(double a, double b, double c, double d, double e, double f, double g, double h,
                    double i) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
HIDDEN Mixed mixed(long a, double b) { return (Mixed){a + 1, b + 0.5}; }
HIDDEN Pair pair(long a, long b) { return (Pair){b, a}; }
HIDDEN Point point(double a, double b) { return (Point){b, a}; }
HIDDEN __int128 wide(__int128 a, __int128 b) { return a * 3 + b; }
HIDDEN long double extended(long double a, int b) { return a + b; }
HIDDEN complex long double twin(long double a, long double b) { return a + b * I; }
HIDDEN double variadic(int count, ...) {
    va_list list;
    double sum = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return sum;
}
__attribute__((target("avx2"))) HIDDEN Vector4 vectors(Vector4 a, Vector4 b, Vector4 c, Vector4 d,
                                                       Vector4 e, Vector4 f, Vector4 g, Vector4 h) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}
__attribute__((target("avx512f"))) HIDDEN Vector8 long_vectors(Vector8 a, Vector8 b) {
    return a + 2 * b;
}

static double sum;

__attribute__((target("avx2"))) HIDDEN void call_vectors(double x) {
    const Vector4 v = {x, x + 1, x + 2, x + 3};
    const Vector4 result = vectors(v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) +
                           vectors(v, v, v, v, v, v, v, v);
    sum += result[0] + 2 * result[1] + 3 * result[2] + 4 * result[3];
}
__attribute__((target("avx512f"))) HIDDEN void call_long_vectors(double x) {
    const Vector8 v = {x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7};
    const Vector8 result = long_vectors(v, v + 3);
    for (int i = 0; i < 8; i++)
        sum += (i + 1) * result[i];
}

HIDDEN void call_all(int i) {
    const double x = i;
#ifndef __clang__
    __attribute__((noinline)) long nested(long a) { return a + i; } /* i by the static chain */
    sum += nested(2);
#endif
    sum += integers(i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6);
    sum += reals(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8);
    const Mixed m = mixed(i, x);
    const Pair p = pair(i, 2 * i);
    const Point q = point(x, 3 * x);
    sum += m.integer + 2 * m.real + 3 * p.first + 4 * p.second + 5 * q.first + 6 * q.second;
    sum += (double)wide(i, (__int128)i << 70) / 1e21;
    sum += (double)extended(x, 3);
    const complex long double both = twin(x, 2 * x);
    sum += (double)creall(both) + 3 * (double)cimagl(both);
    sum += variadic(6, i, x, i + 1, x + 1, i + 2, x + 2);
}

int main(void) {
    for (int i = 0; i < 100000; i++) {
        call_all(i);
        if (__builtin_cpu_supports("avx2"))
            call_vectors(i);
        if (__builtin_cpu_supports("avx512f"))
            call_long_vectors(i);
        if (i % 10000 == 0)
            printf("%a\n", sum);
    }
    printf("%a\n", sum);
    return 0;
}
