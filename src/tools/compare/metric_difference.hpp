// How the metrics of two profiles differ, by function or by call path; those of threads and of
// ranks as a whole. For tools.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/profile_difference.hpp"
#include "profile/profile.hpp"

namespace vftrace {

struct MetricDifferenceRow {
    std::string text;  // the function, or the path from its leaf; empty: all threads or ranks
    std::optional<double> a, b;  // nothing: the profile has no value there

    double difference() const { return b.value_or(0) - a.value_or(0); }
};

struct MetricDifference {
    Metric metric;
    std::vector<MetricDifferenceRow> rows;  // the largest differences first
};

// The metrics that at least one of the profiles has, except those over time; in the order of the
// first profile. None if one is a log, which does not have metrics.
std::vector<MetricDifference> metric_differences(const ComparedPair& pair, DifferenceBy by);

}  // namespace vftrace
