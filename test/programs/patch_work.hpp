// Functions of many shapes whose results are known; instrumented. patch_work() calls all of them.
#pragma once

#include <alloca.h>
#include <stdexcept>

#include "patch_hooks.h"

#define NOINLINE __attribute__((noinline))

namespace work {

NOINLINE static int leaf(int x) { return 3 * x + 1; }
NOINLINE static double real(double x, double y) { return x * 0.5 + y; }
NOINLINE static long many_arguments(long a, long b, long c, long d, long e, long f, long g,
                                    double h) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + static_cast<long>(h);
}

// Ends with a jump to the exit hook when optimised.
NOINLINE static void tail(int* value) { *value += 5; }
NOINLINE static void tails(int* value, int x) {
    if (x & 1) {
        *value += leaf(x);
        return;
    }
    if (x & 2) {
        tail(value);
        *value ^= 1;
        return;
    }
    *value -= x;
}

__attribute__((cold, noinline)) static void rare(int* value) { *value += 100; }
// Its rarely executed part is moved away.
NOINLINE static void with_cold_part(int* value, int x) {
    if (__builtin_expect(x == 7, 0)) {
        rare(value);
        *value *= 3;
        return;
    }
    *value += leaf(x);
}

NOINLINE static int several_exits(int x) {
    switch (x & 7) {
    case 0:
        return leaf(x);
    case 1:
        return 17;
    case 2:
        return x * x;
    case 3:
        return -x;
    default:
        return x + 4;
    }
}

static inline int inlined(int x) { return x * 7 - 2; }
static inline int inlined_branches(int x) {
    if (x > 5)
        return inlined(x) + 1;
    return inlined(x + 1) * 2;
}
NOINLINE static int with_inlined(int x) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += x & 1 ? inlined(x + i) : inlined_branches(x - i);
    return sum;
}

NOINLINE static int recursion(int n) { return n < 2 ? n : recursion(n - 1) + recursion(n - 2); }

NOINLINE static int on_stack(int n) {
    auto* numbers = static_cast<int*>(alloca(sizeof(int) * (n + 1)));
    int sum = 0;
    for (int i = 0; i <= n; i++)
        numbers[i] = i;
    for (int i = 0; i <= n; i++)
        sum += *(volatile int*)&numbers[i];
    return sum;
}

struct Counter {
    int& count;
    explicit Counter(int& c) : count(c) {}
    ~Counter() { count++; }
};
NOINLINE static int throws(int x, int& destroyed) {
    Counter counter(destroyed);
    if (x & 1)
        throw std::runtime_error("odd");
    return x;
}
NOINLINE static int catches(int x) {
    int destroyed = 0;
    try {
        return throws(x, destroyed) + destroyed;
    } catch (const std::exception&) {
        return 1000 + destroyed;
    }
}

struct Wide {
    long parts[5];
};
NOINLINE static Wide wide(long x) { return {{x, x + 1, x + 2, x + 3, x + 4}}; }

}  // namespace work

// The sum of all results for x. Exceptions only on demand: they cost far more than the rest.
NOT_INSTRUMENTED static inline long patch_work(int x, bool exceptions) {
    using namespace work;
    int value = 1;
    tail(&value);
    for (int i = 0; i < 4; i++)
        tails(&value, x + i);
    with_cold_part(&value, x & 15);
    long sum = value + leaf(x) + static_cast<long>(real(x, 2)) +
               many_arguments(1, 2, 3, 4, 5, 6, 7, x) + with_inlined(x) + recursion(6) +
               on_stack(x & 7) + wide(x).parts[4];
    for (int i = 0; i < 8; i++)
        sum += several_exits(x + i);
    if (exceptions)
        sum += catches(x) + catches(x + 1);
    return sum;
}
