// Rows that hold the values of several metrics, each in a member of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "profile/profile.hpp"
#include "record/metrics.hpp"

namespace vftrace {

// A metric, and the member of a row in which its value is.
template <class Row>
struct MetricMember {
    MetricId metric;
    double Row::*member;
};

// The element of a table, which has a member `metric`, for each metric of the profile; nullptr: the
// metric is another one.
template <class Element, std::size_t size>
std::vector<const Element*> elements_by_metric(const Profile& profile,
                                               const Element (&table)[size]) {
    std::vector<const Element*> found;
    found.reserve(profile.metrics.size());
    for (const Metric& metric : profile.metrics) {
        const auto element = std::find_if(table, table + size, [&](const Element& known) {
            return is_named(metric.name, known.metric, 0);
        });
        found.push_back(element == table + size ? nullptr : element);
    }
    return found;
}

// The values of these metrics by rank, in the order of ranks; without ranks that have none.
template <class Row, std::size_t size>
std::vector<Row> rank_rows(const Profile& profile, const MetricMember<Row> (&members)[size]) {
    const auto of_metric = elements_by_metric(profile, members);
    std::vector<Row> rows;
    for (const RankMetric& value : profile.rank_metrics) {
        const MetricMember<Row>* const found = of_metric[value.metric];
        if (!found)
            continue;
        if (rows.empty() || rows.back().rank != value.rank)
            rows.push_back({value.rank});
        rows.back().*found->member = value.value;
    }
    return rows;
}

}  // namespace vftrace
