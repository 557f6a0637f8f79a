// New series of values over time (record/series.hpp).
#pragma once

#include "record/series.hpp"

namespace vftrace {

inline constexpr std::uint32_t most_series_points = 1024;

// Makes a series of a metric of MetricScope::series and lists it in this process's record; nullptr
// without memory. It takes 32 bytes per point and a page. To be filled by one thread at a time.
// `subject`: the subject of the values, in the tree's memory; nullptr: the process. `points`: this
// many at most; a multiple of 128.
SeriesRecord* new_series(MetricId metric, const char* subject = nullptr,
                         std::uint32_t points = most_series_points);

// Makes one that has had as many readings as `other`, all 0, so that the points of both are at the
// same times from now on. Called by the thread that fills `other`.
SeriesRecord* new_series_beside(const SeriesRecord& other, MetricId metric, const char* subject);

}  // namespace vftrace
