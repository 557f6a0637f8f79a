#include "tree/series.hpp"

#include "base/prepend.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {

namespace {

// Not listed yet.
SeriesRecord* map_series(MetricId metric, const char* subject, std::uint32_t points) {
    constexpr std::size_t page = 4096;
    static_assert(sizeof(SeriesRecord) <= page && 2 * 128 * sizeof(SeriesPoint) % page == 0);
    auto* memory = static_cast<char*>(map_tree_memory(page + 2 * points * sizeof(SeriesPoint)));
    if (!memory)
        return nullptr;
    auto* series = reinterpret_cast<SeriesRecord*>(memory);
    series->points = reinterpret_cast<SeriesPoint*>(memory + page);
    series->metric = metric;
    series->subject = subject;
    series->capacity = points;
    series->each = 1;
    return series;
}

// The series is complete when it is listed, for readers at any time and after kill -9.
void list_series(SeriesRecord* series) { prepend(process_record->series, series); }

}  // namespace

SeriesRecord* new_series(MetricId metric, const char* subject, std::uint32_t points) {
    SeriesRecord* series = map_series(metric, subject, points);
    if (series)
        list_series(series);
    return series;
}

SeriesRecord* new_series_beside(const SeriesRecord& other, MetricId metric, const char* subject,
                                const Node* node) {
    SeriesRecord* series = map_series(metric, subject, other.capacity);
    if (!series)
        return nullptr;
    series->node = node;
    visit_points(other, [&](const SeriesPoint& point) {
        series->points[series->count[0]++] = {point.ticks, 0};
    });
    series->each = other.each;
    series->pending = other.pending;
    list_series(series);
    return series;
}

}  // namespace vftrace
