// Quantiles of the F distribution, by bisection of the incomplete beta function (Abramowitz
// and Stegun, "Handbook of Mathematical Functions", 26.6.2).
#include "model/significance.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <unsupported/Eigen/SpecialFunctions>

namespace vftrace {
namespace {

// The probability of an F above `f`.
double f_tail(double f, double over, double below) {
    using One = Eigen::Array<double, 1, 1>;
    const One a(below / 2), b(over / 2), x(below / (below + over * f));
    return Eigen::betainc(a, b, x)(0);
}

double bisected_limit(double over, double below, double alpha) {
    double low = 0, high = 1;
    while (high < 1e12 && f_tail(high, over, below) > alpha)
        high *= 4;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        (f_tail(middle, over, below) > alpha ? low : high) = middle;
    }
    return high;
}

}  // namespace

double f_limit(std::size_t over, std::size_t below, double alpha) {
    if (over == 0 || below == 0)
        return std::numeric_limits<double>::infinity();
    // The same few values are requested again and again.
    thread_local std::map<std::tuple<std::size_t, std::size_t, double>, double> known;
    const auto [entry, is_new] = known.try_emplace({over, below, alpha}, 0.0);
    if (is_new)
        entry->second =
            bisected_limit(static_cast<double>(over), static_cast<double>(below), alpha);
    return entry->second;
}

}  // namespace vftrace
