#include "model/exponents.hpp"

#include <algorithm>
#include <cmath>

namespace vftrace {
namespace {

constexpr bool is_lower(const Exponents& a, const Exponents& b) { return a < b; }

// {0, 1/4, 1/3, 1/2, 2/3, 3/4, 1, 3/2, 2, 5/2} x {0, 1, 2} and {5/4, 4/3, 3} x {0, 1} and
// {4/5, 5/3, 7/4, 9/4, 7/3, 8/3, 11/4} x {0}, without the constant.
constexpr auto growing = [] {
    struct Powers {
        int numerator, denominator, logs;
    };
    constexpr Powers powers[] = {{0, 1, 2}, {1, 4, 2}, {1, 3, 2}, {1, 2, 2},  {2, 3, 2},
                                 {3, 4, 2}, {4, 5, 0}, {1, 1, 2}, {5, 4, 1},  {4, 3, 1},
                                 {3, 2, 2}, {5, 3, 0}, {7, 4, 0}, {2, 1, 2},  {9, 4, 0},
                                 {7, 3, 0}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0}, {3, 1, 1}};
    std::array<Exponents, 42> result{};
    std::size_t used = 0;
    for (const Powers& power : powers)
        for (int log = power.numerator == 0; log <= power.logs; log++)
            result[used++] = {static_cast<std::int8_t>(power.numerator),
                              static_cast<std::int8_t>(power.denominator),
                              static_cast<std::int8_t>(log)};
    std::sort(result.begin(), result.end(), is_lower);
    return result;
}();
static_assert(growing.front() == Exponents{0, 1, 1} && growing.back() == Exponents{3, 1, 1});

constexpr auto shrinking = [] {
    std::array<Exponents, growing.size()> result = growing;
    std::size_t used = 0;
    for (Exponents exponents : growing)
        if (exponents.numerator != 0 && exponents.log == 0) {
            exponents.numerator = static_cast<std::int8_t>(-exponents.numerator);
            result[used++] = exponents;
        }
    std::sort(result.begin(), result.begin() + used, is_lower);
    return std::pair(result, used);
}();

}  // namespace

double Exponents::operator()(double p) const {
    double value = numerator == 0 ? 1.0 : numerator == denominator ? p : std::pow(p, power());
    for (int i = 0; i < log; i++)
        value *= std::log2(p);
    return value;
}

std::span<const Exponents> growing_exponents() { return growing; }
std::span<const Exponents> shrinking_exponents() {
    return std::span(shrinking.first).first(shrinking.second);
}

}  // namespace vftrace
