// Figures of processes, now and over time, in the messages that ranks send each other.
#include "collate/process_collation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

// Bytes that a record has at least: see ByteReader::count().
constexpr std::size_t least_rank_metric = 2 + sizeof(double), least_series = 4,
                      least_point = 1 + sizeof(double);

// Each `group` points become one, at the time of the last.
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

}  // namespace

void write_process_figures(ByteWriter& out, const Profile& profile) {
    out.number(profile.rank_metrics.size());
    for (const RankMetric& value : profile.rank_metrics) {
        out.number(value.rank);
        out.number(value.metric);
        out.real(value.value);
    }
    out.number(profile.series.size());
    for (const Series& series : profile.series) {
        out.number(series.rank);
        out.number(series.metric);
        out.number(series.missed);
        out.number(series.points.size());
        std::uint64_t before = 0;  // differences wrap around, and back
        for (const Series::Point& point : series.points) {
            const auto ns = static_cast<std::uint64_t>(point.ns);
            out.signed_number(static_cast<std::int64_t>(ns - before));
            out.real(point.value);
            before = ns;
        }
    }
}

void add_process_figures(ByteReader& in, const std::vector<std::uint32_t>& metric_of,
                         Profile& profile) {
    for (std::uint32_t n = in.count(least_rank_metric); n > 0; n--) {
        const std::uint32_t rank = in.number32();
        const std::uint32_t metric = in.index(metric_of.size());
        const double value = in.real();
        if (in.failed())
            return;
        profile.rank_metrics.push_back({rank, metric_of[metric], value});
    }
    for (std::uint32_t n = in.count(least_series); n > 0; n--) {
        Series series;
        series.rank = in.number32();
        const std::uint32_t metric = in.index(metric_of.size());
        series.missed = in.number();
        series.points.resize(in.count(least_point));
        std::uint64_t ns = 0;
        for (Series::Point& point : series.points) {
            ns += static_cast<std::uint64_t>(in.signed_number());
            point = {static_cast<std::int64_t>(ns), in.real()};
        }
        if (in.failed())
            return;
        series.metric = metric_of[metric];
        profile.series.push_back(std::move(series));
    }
    limit_points(profile.series, profile.metrics);
}

void sort_process_figures(Profile& profile) {
    const auto before = [](const auto& a, const auto& b) {
        return std::tie(a.rank, a.metric) < std::tie(b.rank, b.metric);
    };
    std::sort(profile.rank_metrics.begin(), profile.rank_metrics.end(), before);
    std::sort(profile.series.begin(), profile.series.end(), before);
}

}  // namespace vftrace
