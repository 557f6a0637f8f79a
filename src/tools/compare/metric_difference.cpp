#include "compare/metric_difference.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

using Side = std::optional<double> MetricDifferenceRow::*;

bool is_same(const Metric& a, const Metric& b) {
    return a.name == b.name && a.unit == b.unit && a.scope == b.scope;
}

// Adds the values of one metric in one profile, by function or by path.
void add_paths(const ComparedProfile& profile, std::uint32_t metric, DifferenceBy by, Side side,
               std::unordered_map<std::string, std::size_t>& index,
               std::vector<MetricDifferenceRow>& rows) {
    const bool by_function = by == DifferenceBy::function;
    const Metric& described = profile.metrics[metric];
    std::unordered_map<std::size_t, MetricMean> sums;
    for (const ComparedPath& path : profile.paths) {
        const double* value = metric_of(path.metrics, metric);
        // Recursive calls of a function are included in its outermost calls.
        if (!value || !std::isfinite(*value) ||
            (by_function && described.part == MetricPart::inclusive && !path.outermost))
            continue;
        const auto [place, is_new] =
            index.try_emplace(by_function ? path.function_key : path.path_key, rows.size());
        if (is_new)
            rows.push_back({by_function ? path.function : path.path, {}, {}});
        sums[place->second].add(*value, 1, described.reduction);
    }
    for (const auto& [row, sum] : sums)
        rows[row].*side = sum.result(described.reduction);
}

std::vector<MetricDifferenceRow> rows_of(const ComparedPair& pair, const Metric& metric,
                                         DifferenceBy by) {
    std::vector<MetricDifferenceRow> rows;
    std::unordered_map<std::string, std::size_t> index;
    if (metric.scope != MetricScope::path)
        rows.push_back({"", {}, {}});
    const std::pair<const ComparedProfile&, Side> sides[] = {{pair.a, &MetricDifferenceRow::a},
                                                             {pair.b, &MetricDifferenceRow::b}};
    for (const auto& [profile, side] : sides)
        for (std::uint32_t i = 0; i < profile.metrics.size(); i++) {
            if (!is_same(profile.metrics[i], metric))
                continue;
            if (metric.scope == MetricScope::path)
                add_paths(profile, i, by, side, index, rows);
            else if (const double* value = metric_of(profile.totals, i);
                     value && std::isfinite(*value))
                rows.front().*side = *value;
        }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::abs(a.difference()) > std::abs(b.difference());
    });
    return rows;
}

}  // namespace

std::vector<MetricDifference> metric_differences(const ComparedPair& pair, DifferenceBy by) {
    std::vector<MetricDifference> all;
    if (pair.a.from_log || pair.b.from_log)
        return all;
    for (const ComparedProfile* profile : {&pair.a, &pair.b})
        for (const Metric& metric : profile->metrics)
            if (metric.scope != MetricScope::series &&
                std::none_of(all.begin(), all.end(), [&](const MetricDifference& known) {
                    return is_same(known.metric, metric);
                }))
                all.push_back({metric, rows_of(pair, metric, by)});
    // Not all metrics of hosts and regions are to be compared.
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const MetricDifference& difference) {
                                 const MetricDifferenceRow* row =
                                     difference.rows.empty() ? nullptr : &difference.rows.front();
                                 return difference.metric.scope == MetricScope::region &&
                                        (!row || (!row->a && !row->b));
                             }),
              all.end());
    return all;
}

}  // namespace vftrace
