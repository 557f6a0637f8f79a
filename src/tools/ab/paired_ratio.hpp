// The ratio of two quantities that were measured in pairs, one shortly after the other, so that
// what changes on the machine meanwhile affects both.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace vftrace {

inline constexpr double usual_confidence = 0.95;
// Fewer pairs have no interval of this confidence: even if all of them agree, that happens by
// chance in more than 5 % of all cases.
inline constexpr std::size_t fewest_pairs = 6;

// NaN: not known.
struct PairedRatio {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::size_t pairs = 0;
    double ratio = unknown;                // new to old
    double low = unknown, high = unknown;  // the interval
    double chance = 1;  // that two equal programs differ as much: two-sided p of Student's t

    bool has_interval() const { return low <= high; }
    bool is_larger() const { return low > 1; }
    bool is_smaller() const { return high < 1; }
};

// Of `first[i]` and `second[i]`; pairs in which one is not above zero are left out. The interval
// has at least this confidence.
//
// The estimate is that of Hodges and Lehmann, the median of the means of two logarithms each, with
// the interval that belongs to Wilcoxon's signed-rank test (Hollander, Wolfe and Chicken,
// "Nonparametric Statistical Methods", 3.2 and 3.3): a few runs that were disturbed move neither
// far. `chance` is the probability of a paired t-test on the logarithms, which can become small
// with few pairs.
PairedRatio paired_ratio(std::span<const double> first, std::span<const double> second,
                         double confidence = usual_confidence);

// Which of the probabilities are so small that at most `false_share` of those chosen are expected
// to be chosen by chance (Benjamini and Hochberg, "Controlling the false discovery rate", J. R.
// Statist. Soc. B 57, 1995).
std::vector<bool> small_chances(std::span<const double> chances, double false_share);

// The probability that Student's t with `freedom` degrees of freedom is farther from 0 than `t`
// (Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4).
double student_chance(double t, std::size_t freedom);

}  // namespace vftrace
