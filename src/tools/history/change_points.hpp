// Since when a figure is another one, from one run to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vftrace {

// From the value with this index on, a figure is another one.
struct ChangePoint {
    std::size_t index = 0;
    double before = 0, after = 0;  // medians of what is known of both sides
    std::size_t seen = 0;          // values after it, up to the next change

    double ratio() const { return after / before; }
};

struct ChangeRule {
    std::size_t window = 60;     // values that are looked at, since the last change
    std::size_t before = 12;     // at least this many before a change,
    std::size_t after = 5;       // and after it
    double least_effect = 0.05;  // part of the value before
    double least_noises = 2.8;   // standard deviations of the values
    double least_errors = 4.5;   // standard errors of the medians
    double side_share = 0.8;     // of the values of both sides, on their side of the middle
};

// The changes of figures that vary from run to run, all above 0, in the order of the runs; see
// doc/design/runs.md for the rule and its sources. Deterministic.
std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRule& rule = {});

// The changes of exact figures: a value that is not the one before is a change at once. Values that
// are not known are passed over. Those that change again and again, in more than a tenth of the
// runs, have no changes: they depend on something else, such as the time.
std::vector<ChangePoint> exact_changes(std::span<const std::optional<std::uint64_t>> values);

}  // namespace vftrace
