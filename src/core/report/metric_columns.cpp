#include "report/metric_columns.hpp"
#include "report/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"

namespace vftrace {
namespace {

template <class Visit>
void for_each_value(const Profile& profile, std::uint32_t metric, Visit visit) {
    for (const MetricValue& value : profile.metric_values)
        if (value.metric == metric)
            visit(value.value);
    for (const ThreadFigures& thread : profile.threads)
        for (const RowMetric& value : thread.metrics)
            if (value.metric == metric)
                visit(value.value);
    for (const RankMetric& value : profile.rank_metrics)
        if (value.metric == metric)
            visit(value.value);
    for (const HostMetric& value : profile.host_metrics)
        if (value.metric == metric)
            visit(value.value);
    for (const RegionMetric& value : profile.region_metrics)
        if (value.metric == metric)
            visit(value.value);
    for (const Series& series : profile.series)
        for (const Series::Point& point : series.points)
            if (series.metric == metric)
                visit(point.value);
}

MetricRange range_of(const Profile& profile, std::uint32_t metric) {
    MetricRange range;
    for_each_value(profile, metric, [&](double value) { range.add(value); });
    return range;
}

// nullptr: not known to this version.
const SourceRow* known_source(std::string_view name) {
    for (const SourceRow& row : source_rows)
        if (row.name == name)
            return &row;
    return nullptr;
}

}  // namespace

std::string_view source_name(const Metric& metric) {
    return std::string_view(metric.name).substr(0, metric.name.find('.'));
}

std::string title_of_source(std::string_view source) {
    const SourceRow* row = known_source(source);
    return row && !row->title.empty() ? std::string(row->title) : printable(source);
}

bool has_own_tables(std::string_view source) {
    const SourceRow* row = known_source(source);
    return row && row->title.empty();
}

bool is_in_logs(std::string_view source) {
    const SourceRow* row = known_source(source);
    return !row || row->in_logs;
}

void MetricRange::add(double value) {
    any_ = true;
    if (!std::isfinite(value))
        return;
    integers_ = integers_ && std::floor(value) == value;
    largest_ = std::max(largest_, std::abs(value));
}

MetricColumn::MetricColumn(const Profile& profile, std::uint32_t index)
    : MetricColumn(profile.metrics[index], range_of(profile, index)) {
    metric_ = index;
}

MetricColumn::MetricColumn(const Metric& metric, const MetricRange& values)
    : id_(metric.name), title_(printable(metric.title.empty() ? metric.name : metric.title)) {
    constexpr int of_seconds = 6, of_others = 3;
    if (metric.unit == "ns") {
        unit_ = "s";
        factor_ = 1e-9;
        decimals_ = of_seconds;
    } else if (metric.unit == "B" && values.largest() >= mebibyte) {
        unit_ = "MiB";
        factor_ = 1 / mebibyte;
        decimals_ = of_others;
    } else {
        unit_ = printable(metric.unit);
        decimals_ = values.integers() ? 0 : of_others;
    }
    header_ = with_unit(title_);
}

std::vector<MetricColumn> metric_columns(const Profile& profile, MetricScope scope) {
    std::vector<MetricColumn> columns;
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].scope == scope && !has_own_tables(source_name(profile.metrics[i])) &&
            range_of(profile, i).any())  // else it may be about something unknown here
            columns.emplace_back(profile, i);
    return columns;
}

std::vector<MetricsOfSource> metrics_by_source(const Profile& profile, MetricScope scope) {
    std::vector<MetricsOfSource> sources;
    for (MetricColumn& column : metric_columns(profile, scope)) {
        const std::string_view id = source_name(profile.metrics[column.metric()]);
        const auto known = std::find_if(sources.begin(), sources.end(),
                                        [&](const auto& one) { return one.id == id; });
        if (known == sources.end())
            sources.push_back({std::string(id), title_of_source(id), {std::move(column)}});
        else
            known->columns.push_back(std::move(column));
    }
    return sources;
}

bool has_metrics_of_logs(const Profile& profile, MetricScope scope) {
    const std::vector<MetricColumn> columns = metric_columns(profile, scope);
    return std::any_of(columns.begin(), columns.end(), [&](const MetricColumn& column) {
        return is_in_logs(source_name(profile.metrics[column.metric()]));
    });
}

}  // namespace vftrace
