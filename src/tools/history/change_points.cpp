#include "history/change_points.hpp"

#include <algorithm>
#include <cmath>

#include "base/median.hpp"

namespace vftrace {
namespace {

double median_of(std::span<const double> values) { return median({values.begin(), values.end()}); }

// Sums of the distances between all of the first `i` and all of the first `j` values.
class DistanceSums {
  public:
    explicit DistanceSums(std::span<const double> values)
        : width_(values.size() + 1), sums_(width_ * width_, 0.0) {
        for (std::size_t i = 1; i < width_; i++)
            for (std::size_t j = 1; j < width_; j++)
                sums_[i * width_ + j] = std::abs(values[i - 1] - values[j - 1]) + of(i - 1, j) +
                                        of(i, j - 1) - of(i - 1, j - 1);
    }
    double of(std::size_t i, std::size_t j) const { return sums_[i * width_ + j]; }

  private:
    std::size_t width_;
    std::vector<double> sums_;
};

// The number of values before the split with the largest energy statistic (exponent 1), of splits
// from `first` to `last`.
std::size_t best_split(std::span<const double> values, std::size_t first, std::size_t last) {
    const DistanceSums sums(values);
    const std::size_t all = values.size();
    std::size_t best = first;
    double largest = -1;
    for (std::size_t split = first; split <= last; split++) {
        const auto before = static_cast<double>(split), after = static_cast<double>(all - split);
        const double inside_before = sums.of(split, split);
        const double between = sums.of(split, all) - inside_before;
        const double inside_after = sums.of(all, all) - 2 * sums.of(split, all) + inside_before;
        const double energy = 2 * between / (before * after) - inside_before / (before * before) -
                              inside_after / (after * after);
        if (const double weighted = before * after / (before + after) * energy;
            weighted > largest) {
            largest = weighted;
            best = split;
        }
    }
    return best;
}

// Of the values, the part that is above (or not) the middle.
double share_above(std::span<const double> values, double middle, bool above) {
    const auto count = std::count_if(values.begin(), values.end(),
                                     [&](double value) { return (value > middle) == above; });
    return static_cast<double>(count) / static_cast<double>(values.size());
}

bool is_change(std::span<const double> before, std::span<const double> after,
               const ChangeRule& rule) {
    // The scale that makes the median absolute deviation of normal values their standard
    // deviation, and the standard error of a median relative to that of a mean.
    constexpr double to_deviation = 1.4826, median_to_mean = 1.2533;
    const double old_median = median_of(before), new_median = median_of(after);
    const double step = std::abs(new_median - old_median);
    const double middle = (old_median + new_median) / 2;
    const bool up = new_median > old_median;
    if (step < rule.least_effect * old_median || share_above(after, middle, up) < rule.side_share ||
        share_above(before, middle, !up) < rule.side_share)
        return false;
    std::vector<double> deviations;
    for (const double value : before)
        deviations.push_back(std::abs(value - old_median));
    for (const double value : after)
        deviations.push_back(std::abs(value - new_median));
    const double noise = to_deviation * median(std::move(deviations));
    const double error =
        median_to_mean * noise *
        std::sqrt(1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size()));
    return step >= rule.least_noises * noise && step > rule.least_errors * error;
}

// Whether the latest values may be after a change at all: quick.
bool may_have_changed(std::span<const double> values, const ChangeRule& rule) {
    const std::span<const double> latest = values.last(rule.after);
    const double old_median = median_of(values.first(values.size() - rule.after));
    return std::abs(median_of(latest) - old_median) >= rule.least_effect / 2 * old_median;
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRule& rule) {
    std::vector<ChangePoint> changes;
    std::size_t begin = 0;  // of the values since the last change
    for (std::size_t end = rule.before + rule.after; end <= values.size(); end++) {
        const std::size_t from = std::max(begin, end > rule.window ? end - rule.window : 0);
        if (end - from < rule.before + rule.after)
            continue;
        const std::span<const double> seen = values.subspan(from, end - from);
        if (!may_have_changed(seen, rule))
            continue;
        const std::size_t split = best_split(seen, rule.before, seen.size() - rule.after);
        if (!is_change(seen.first(split), seen.subspan(split), rule))
            continue;
        begin = from + split;
        changes.push_back({begin, median_of(seen.first(split)), 0, 0});
    }
    // A change is seen as soon as possible, when its place is not yet certain by a value or two.
    for (std::size_t i = 0; i < changes.size(); i++) {
        const std::size_t at = changes[i].index;
        const std::size_t from =
            std::max(i > 0 ? changes[i - 1].index : 0, at > rule.window ? at - rule.window : 0);
        const std::size_t to = std::min(
            i + 1 < changes.size() ? changes[i + 1].index : values.size(), at + rule.window);
        changes[i].index = from + best_split(values.subspan(from, to - from),
                                             at - from - std::min(rule.after, at - from - 1),
                                             std::min(at - from + rule.after, to - from - 1));
    }
    for (std::size_t i = 0; i < changes.size(); i++) {
        const std::size_t end = i + 1 < changes.size() ? changes[i + 1].index : values.size();
        changes[i].seen = end - changes[i].index;
        changes[i].after = median_of(values.subspan(changes[i].index, changes[i].seen));
    }
    return changes;
}

std::vector<ChangePoint> exact_changes(std::span<const std::optional<std::uint64_t>> values) {
    constexpr std::size_t always_some = 2, one_of = 10;
    std::vector<ChangePoint> changes;
    std::optional<std::uint64_t> last;
    std::size_t known = 0;
    for (std::size_t i = 0; i < values.size(); i++) {
        if (!values[i])
            continue;
        known++;
        if (last && *last != *values[i])
            changes.push_back({i, static_cast<double>(*last), static_cast<double>(*values[i]), 0});
        if (!changes.empty())
            changes.back().seen++;
        last = values[i];
    }
    if (changes.size() > std::max(always_some, known / one_of))
        changes.clear();
    return changes;
}

}  // namespace vftrace
