// Values of a metric of the process over time, as stored in memory and in the tree file.
//
//   ProcessRecord::series -> SeriesRecord -> SeriesRecord ...
//                                └─ points: two halves, one of which is the series
//
// The memory of a series is bounded, however long the run is: when the current half is full, pairs
// of neighbours are combined into the other half, which is the series from then on, and a point
// represents twice as many readings. One thread writes; other threads, and readers of the file
// after kill -9, find complete points at any moment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "record/reduction.hpp"

namespace vftrace {

struct Node;

struct SeriesPoint {
    std::uint64_t ticks;  // time of the last of its readings
    double value;
};

struct SeriesRecord {
    SeriesRecord* next;  // of the same process
    SeriesPoint* points;
    const char* subject;  // the subject of the values, such as a section; nullptr: the process
    const Node* node;     // or a call path, of any thread; nullptr: none
    MetricId metric;
    std::uint32_t capacity;  // points in a half; even
    std::uint32_t half;      // 0 or 1
    std::uint32_t count[2];  // points in each half
    std::uint32_t each;      // readings that become a point
    std::uint32_t pending;   // readings for the next point; combined in `pending_value`
    double pending_value;
    std::uint64_t missed;  // readings that were due while the thread had no processor
};

namespace series_detail {

inline void add_point(SeriesRecord& series, const SeriesPoint& point) {
    std::uint32_t& count = series.count[series.half];
    series.points[series.half * series.capacity + count] = point;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

inline void halve(SeriesRecord& series, Reduction reduction) {
    const SeriesPoint* from = series.points + series.half * series.capacity;
    const std::uint32_t other = 1 - series.half;
    SeriesPoint* to = series.points + other * series.capacity;
    for (std::uint32_t i = 0; i < series.capacity / 2; i++) {
        const SeriesPoint &a = from[2 * i], &b = from[2 * i + 1];
        const double value = together(a.value, b.value, reduction);
        to[i] = {b.ticks, reduction == Reduction::mean ? value / 2 : value};
    }
    __atomic_store_n(&series.count[other], series.capacity / 2, __ATOMIC_RELEASE);
    __atomic_store_n(&series.half, other, __ATOMIC_RELEASE);
    series.each *= 2;
}

}  // namespace series_detail

// Creates a point from the readings since the last one, if there are any; also called at the end of
// a run.
inline void end_point(SeriesRecord& series, std::uint64_t ticks) {
    if (series.pending == 0)
        return;
    const Reduction reduction = row_of(series.metric).reduction;
    const double value =
        reduction == Reduction::mean ? series.pending_value / series.pending : series.pending_value;
    series.pending = 0;
    if (series.count[series.half] == series.capacity)
        series_detail::halve(series, reduction);
    series_detail::add_point(series, {ticks, value});
}

inline void add_reading(SeriesRecord& series, std::uint64_t ticks, double value) {
    series.pending_value = series.pending == 0 ? value
                                               : together(series.pending_value, value,
                                                          row_of(series.metric).reduction);
    if (++series.pending >= series.each)
        end_point(series, ticks);
}

// Calls `visit` with each point of a series, which may grow at the same time.
template <class Visit>
void visit_points(const SeriesRecord& series, Visit visit) {
    const std::uint32_t half = __atomic_load_n(&series.half, __ATOMIC_ACQUIRE) & 1;
    const std::uint32_t count =
        std::min(__atomic_load_n(&series.count[half], __ATOMIC_ACQUIRE), series.capacity);
    for (std::uint32_t i = 0; i < count; i++)
        visit(series.points[half * series.capacity + i]);
}

}  // namespace vftrace
