#include "model/exponents.hpp"

#include <algorithm>
#include <cmath>

namespace vftrace {
namespace {

// {0, 1/4, 1/3, 1/2, 2/3, 3/4, 1, 3/2, 2, 5/2} x {0, 1, 2} and {5/4, 4/3, 3} x {0, 1} and
// {4/5, 5/3, 7/4, 9/4, 7/3, 8/3, 11/4} x {0}, without the constant; then ours.
struct Powers {
    std::int8_t numerator, denominator, logs;
};
constexpr Powers usual[] = {{0, 1, 2},  {1, 4, 2}, {1, 3, 2}, {1, 2, 2}, {2, 3, 2}, {3, 4, 2},
                            {4, 5, 0},  {1, 1, 2}, {5, 4, 1}, {4, 3, 1}, {3, 2, 2}, {5, 3, 0},
                            {7, 4, 0},  {2, 1, 2}, {9, 4, 0}, {7, 3, 0}, {5, 2, 2}, {8, 3, 0},
                            {11, 4, 0}, {3, 1, 1}, {7, 2, 0}, {4, 1, 1}};

}  // namespace

double Exponents::operator()(double p) const {
    double value = numerator == 0 ? 1.0 : numerator == denominator ? p : std::pow(p, power());
    for (int i = 0; i < log; i++)
        value *= std::log2(p);
    return value;
}

ExponentSet::ExponentSet() {
    for (const Powers& power : usual)
        for (std::int8_t log = 0; log <= power.logs; log++)
            growing_.push_back({power.numerator, power.denominator, log});
    arrange();
}

ExponentSet::ExponentSet(std::span<const Exponents> powers, std::span<const std::int8_t> logs) {
    for (const Exponents& power : powers)
        for (const std::int8_t log : logs)
            growing_.push_back({power.numerator, power.denominator, log});
    arrange();
}

void ExponentSet::add_powers_up_to_5() {
    growing_.push_back({9, 2, 0});
    growing_.push_back({5, 1, 0});
    arrange();
}

void ExponentSet::arrange() {
    std::erase(growing_, Exponents{});
    std::sort(growing_.begin(), growing_.end());
    growing_.erase(std::unique(growing_.begin(), growing_.end()), growing_.end());
    shrinking_.clear();
    for (Exponents exponents : growing_)
        if (exponents.numerator != 0 && exponents.log == 0) {
            exponents.numerator = static_cast<std::int8_t>(-exponents.numerator);
            shrinking_.push_back(exponents);
        }
    std::sort(shrinking_.begin(), shrinking_.end());
}

}  // namespace vftrace
