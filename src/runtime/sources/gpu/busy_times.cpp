#include "gpu/busy_times.hpp"

#include <algorithm>
#include <cstring>

namespace vftrace {

void DeviceTimeline::start(Interval* memory, std::size_t shorter) {
    *this = {};
    capacity_ = shorter;
    lists_[0].intervals = memory;
    lists_[1].intervals = memory + capacity_;
}

void DeviceTimeline::List::insert(std::uint64_t start, std::uint64_t end) {
    // Most work begins after all known intervals.
    std::size_t first = count;
    if (count > 0 && start <= intervals[count - 1].end)
        first = static_cast<std::size_t>(
            std::lower_bound(intervals, intervals + count, start,
                             [](const Interval& interval, std::uint64_t moment) {
                                 return interval.end < moment;
                             }) -
            intervals);
    // From the first interval that it touches to the last.
    std::size_t last = first;
    while (last < count && intervals[last].start <= end) {
        start = std::min(start, intervals[last].start);
        end = std::max(end, intervals[last].end);
        last++;
    }
    if (last != first + 1) {
        std::memmove(intervals + first + 1, intervals + last, (count - last) * sizeof(Interval));
        count = count - (last - first) + 1;
    }
    intervals[first] = {start, end};
}

void DeviceTimeline::List::drop_before(std::uint64_t moment) {
    const Interval* rest =
        std::find_if(intervals, intervals + count,
                     [=](const Interval& interval) { return interval.end > moment; });
    const auto gone = static_cast<std::size_t>(rest - intervals);
    count -= gone;
    std::memmove(intervals, rest, count * sizeof(Interval));
    if (count > 0)
        intervals[0].start = std::max(intervals[0].start, moment);
}

void DeviceTimeline::add(BusyWith kind, std::uint64_t start, std::uint64_t end) {
    start = std::max(start, folded_until_);
    if (start >= end)
        return;
    List& list = lists_[static_cast<std::size_t>(kind)];
    list.insert(start, end);
    if (list.count == capacity_)
        fold();
}

DeviceTimeline::Times DeviceTimeline::times_before(std::uint64_t moment) const {
    Times times;
    const auto [kernels, copies] = lists_;
    const auto length = [=](std::uint64_t start, std::uint64_t end) {
        end = std::min(end, moment);
        return start < end ? end - start : 0;
    };
    for (std::size_t i = 0; i < kernels.count; i++)
        times.kernel += length(kernels.intervals[i].start, kernels.intervals[i].end);
    for (std::size_t i = 0; i < copies.count; i++)
        times.copy += length(copies.intervals[i].start, copies.intervals[i].end);
    for (std::size_t i = 0, j = 0; i < kernels.count && j < copies.count;) {
        const Interval &kernel = kernels.intervals[i], &copy = copies.intervals[j];
        times.both += length(std::max(kernel.start, copy.start), std::min(kernel.end, copy.end));
        kernel.end < copy.end ? i++ : j++;
    }
    return times;
}

void DeviceTimeline::fold() {
    std::uint64_t moment = 0;
    for (const List& list : lists_)
        if (list.count > capacity_ / 2)
            moment = std::max(moment, list.intervals[list.count - capacity_ / 2].start);
    const Times older = times_before(moment);
    folded_.kernel += older.kernel;
    folded_.copy += older.copy;
    folded_.both += older.both;
    folded_until_ = moment;
    for (List& list : lists_)
        list.drop_before(moment);
}

DeviceTimeline::Times DeviceTimeline::times() const {
    Times times = times_before(~std::uint64_t{0});
    times.kernel += folded_.kernel;
    times.copy += folded_.copy;
    times.both += folded_.both;
    return times;
}

}  // namespace vftrace
