#include "ab/paired_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/median.hpp"

namespace vftrace {
namespace {

// How many of the smallest means of two the interval leaves out: the largest number k for which a
// signed-rank sum of at most k has a probability of at most half of what is outside, plus 1. 0:
// there is none.
std::size_t left_out_at_each_end(std::size_t pairs, double confidence) {
    const std::size_t most = pairs * (pairs + 1) / 2;
    std::vector<double> chance(most + 1, 0.0);  // of each sum
    chance[0] = 1;
    std::size_t reached = 0;
    for (std::size_t rank = 1; rank <= pairs; rank++) {
        reached += rank;
        for (std::size_t sum = reached + 1; sum-- > 0;)
            chance[sum] = chance[sum] / 2 + (sum >= rank ? chance[sum - rank] / 2 : 0);
    }
    double below = 0;
    std::size_t sums = 0;
    while (sums <= most && below + chance[sums] <= (1 - confidence) / 2)
        below += chance[sums++];
    return sums;
}

double t_chance(const std::vector<double>& logs) {
    const auto count = static_cast<double>(logs.size());
    if (logs.size() < 2)
        return 1;
    const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
    double squares = 0;
    for (const double value : logs)
        squares += (value - mean) * (value - mean);
    const double error = std::sqrt(squares / (count - 1) / count);
    if (!(error > 0))
        return mean == 0 ? 1 : 0;
    return student_chance(mean / error, logs.size() - 1);
}

}  // namespace

double student_chance(double t, std::size_t freedom) {
    if (freedom == 0)
        return 1;
    const auto nu = static_cast<double>(freedom);
    const double angle = std::atan(std::abs(t) / std::sqrt(nu));
    const double sine = std::sin(angle), cosine = std::cos(angle);
    double inside = 0;
    if (freedom % 2 == 0) {
        double term = 1, sum = 1;
        for (std::size_t k = 2; k < freedom; k += 2) {
            term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
            sum += term;
        }
        inside = sine * sum;
    } else {
        double term = cosine, sum = freedom > 1 ? cosine : 0;
        for (std::size_t k = 3; k < freedom; k += 2) {
            term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
            sum += term;
        }
        inside = 2 / M_PI * (angle + sine * sum);
    }
    return std::clamp(1 - inside, 0.0, 1.0);
}

PairedRatio paired_ratio(std::span<const double> first, std::span<const double> second,
                         double confidence) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); i++)
        if (first[i] > 0 && second[i] > 0)
            logs.push_back(std::log(second[i] / first[i]));
    PairedRatio result;
    result.pairs = logs.size();
    if (logs.empty())
        return result;
    std::vector<double> means;
    means.reserve(logs.size() * (logs.size() + 1) / 2);
    for (std::size_t i = 0; i < logs.size(); i++)
        for (std::size_t j = i; j < logs.size(); j++)
            means.push_back((logs[i] + logs[j]) / 2);
    std::sort(means.begin(), means.end());
    result.ratio = std::exp(median_of_sorted(means));
    result.chance = t_chance(logs);
    if (const std::size_t left_out = left_out_at_each_end(logs.size(), confidence); left_out > 0) {
        result.low = std::exp(means[left_out - 1]);
        result.high = std::exp(means[means.size() - left_out]);
    }
    return result;
}

std::vector<bool> small_chances(std::span<const double> chances, double false_share) {
    std::vector<std::size_t> order(chances.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return chances[a] < chances[b]; });
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < order.size(); i++)
        if (chances[order[i]] <=
            false_share * static_cast<double>(i + 1) / static_cast<double>(order.size()))
            chosen = i + 1;
    std::vector<bool> result(chances.size(), false);
    for (std::size_t i = 0; i < chosen; i++)
        result[order[i]] = true;
    return result;
}

}  // namespace vftrace
