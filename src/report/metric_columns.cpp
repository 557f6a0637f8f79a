// Metrics as columns of tables: their headers, units and numbers.
#include "report/metric_columns.hpp"

#include <algorithm>
#include <cmath>

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
}

// A metric of a later version may be of something that is not known here.
bool has_values(const Profile& profile, std::uint32_t metric) {
    bool any = false;
    for_each_value(profile, metric, [&](double) { any = true; });
    return any;
}

bool are_integers(const Profile& profile, std::uint32_t metric) {
    bool all = true;
    for_each_value(profile, metric, [&](double value) {
        all = all && (!std::isfinite(value) || std::floor(value) == value);
    });
    return all;
}

}  // namespace

std::string_view source_name(const Metric& metric) {
    return std::string_view(metric.name).substr(0, metric.name.find('.'));
}

bool has_own_tables(std::string_view source) {
    return std::any_of(std::begin(source_rows), std::end(source_rows), [&](const SourceRow& row) {
        return row.name == source && row.title.empty();
    });
}

MetricColumn::MetricColumn(const Profile& profile, std::uint32_t index)
    : MetricColumn(profile.metrics[index], are_integers(profile, index)) {
    metric_ = index;
}

MetricColumn::MetricColumn(const Metric& metric, bool integers) {
    const bool is_time = metric.unit == "ns";
    header_ = printable(metric.title.empty() ? metric.name : metric.title);
    if (is_time)
        header_ += "[s]";
    else if (!metric.unit.empty())
        header_ += "[" + printable(metric.unit) + "]";
    constexpr int of_seconds = 6, of_others = 3;
    if (is_time || !integers)
        decimals_ = is_time ? of_seconds : of_others;
    if (is_time)
        factor_ = 1e-9;
}

std::vector<MetricColumn> metric_columns(const Profile& profile, MetricScope scope) {
    std::vector<MetricColumn> columns;
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].scope == scope && !has_own_tables(source_name(profile.metrics[i])) &&
            has_values(profile, i))
            columns.emplace_back(profile, i);
    return columns;
}

}  // namespace vftrace
