// New series of values over time (record/series.hpp).
#pragma once

#include "record/series.hpp"

namespace vftrace {

// Makes a series of a metric of MetricScope::series and lists it in this process's record; nullptr
// without memory. It takes 32 KiB, with 1024 points at most. To be filled by one thread.
SeriesRecord* new_series(MetricId metric, std::uint16_t index = 0);

}  // namespace vftrace
