#include "collate/series_points.hpp"

#include <algorithm>
#include <utility>

#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t least_point = 1 + sizeof(double);  // bytes: see ByteReader::count()

// Every `group` points become one, at the time of the last of them.
void thin(std::vector<Series::Point>& points, std::size_t group, Reduction reduction) {
    std::vector<Series::Point> fewer;
    for (std::size_t i = 0; i < points.size(); i += group) {
        const std::size_t end = std::min(i + group, points.size());
        MetricMean together;
        for (std::size_t j = i; j < end; j++)
            together.add(points[j].value, 1, reduction);
        fewer.push_back({points[end - 1].ns, together.result(reduction)});
    }
    points = std::move(fewer);
}

}  // namespace

void write_points(ByteWriter& out, const Series& series) {
    out.number(series.points.size());
    std::uint64_t before = 0;  // differences wrap around, and back
    for (const Series::Point& point : series.points) {
        const auto ns = static_cast<std::uint64_t>(point.ns);
        out.signed_number(static_cast<std::int64_t>(ns - before));
        out.real(point.value);
        before = ns;
    }
}

void read_points(ByteReader& in, Series& series) {
    series.points.resize(in.count(least_point));
    std::uint64_t ns = 0;
    for (Series::Point& point : series.points) {
        ns += static_cast<std::uint64_t>(in.signed_number());
        point = {static_cast<std::int64_t>(ns), in.real()};
    }
}

void limit_points(std::vector<Series>& all, const std::vector<Metric>& metrics) {
    std::size_t points = 0;
    for (const Series& series : all)
        points += series.points.size();
    if (points <= most_series_points)
        return;
    const std::size_t most = std::max(most_series_points / all.size(), fewest_series_points);
    for (Series& series : all)
        if (series.points.size() > most)
            thin(series.points, (series.points.size() + most - 1) / most,
                 metrics[series.metric].reduction);
}

}  // namespace vftrace
