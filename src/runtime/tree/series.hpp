// New series of values over time (record/series.hpp).
#pragma once

#include "record/series.hpp"

namespace vftrace {

inline constexpr std::uint32_t most_series_points = 1024;

// Creates a series for a metric of MetricScope::series and lists it in this process's record;
// nullptr without memory. It takes 32 bytes per point plus a page. Only one thread may fill it at a
// time. `subject`: the subject of the values, in the tree's memory; nullptr: the process. `points`:
// the largest number of points; a multiple of 128.
SeriesRecord* new_series(MetricId metric, const char* subject = nullptr,
                         std::uint32_t points = most_series_points);

// Creates a series that has as many readings as `other`, all 0, so that the points of both are at
// the same times from now on. Called by the thread that fills `other`.
SeriesRecord* new_series_beside(const SeriesRecord& other, MetricId metric, const char* subject,
                                const Node* node = nullptr);

}  // namespace vftrace
