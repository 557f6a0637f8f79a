// New series of values over time.
#include "tree/series.hpp"

#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {

SeriesRecord* new_series(MetricId metric, const char* subject, std::uint32_t points) {
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
    SeriesRecord* first = __atomic_load_n(&process_record->series, __ATOMIC_RELAXED);
    do
        series->next = first;
    while (!__atomic_compare_exchange_n(&process_record->series, &first, series, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return series;
}

}  // namespace vftrace
