// The subject of a series of values: a section, or a type of tasks.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.hpp"

namespace vftrace {

// The subject, if the series belongs to this metric; nullptr: it does not, or it is about the whole
// process.
inline const std::string* subject_of(const Profile& profile, const Series& series, MetricId id) {
    const Metric& metric = profile.metrics[series.metric];
    const std::string_view name = metric.name;
    return name.starts_with(row_of(id).name) && name.substr(row_of(id).name.size()).starts_with(':')
               ? &metric.title
               : nullptr;
}

// Whether it belongs to this metric and is about the whole process.
inline bool is_of_process(const Profile& profile, const Series& series, MetricId id) {
    return profile.metrics[series.metric].name == row_of(id).name;
}

}  // namespace vftrace
