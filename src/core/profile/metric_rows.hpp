// Values of metrics: how several are combined, and those in rows of their own lists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "profile/fields.hpp"
#include "profile/profile.hpp"
#include "record/reduction.hpp"

namespace vftrace {

// Combines several values of one metric, one after the other.
class MetricMean {
  public:
    // `weight`: how many threads or ranks the value is from.
    void add(double value, double weight, Reduction reduction) {
        const bool first = weight_ == 0;
        weight_ += weight;
        if (reduction == Reduction::mean)
            value *= weight;
        value_ = first ? value : together(value_, value, reduction);
    }
    double result(Reduction reduction) const {
        return reduction == Reduction::mean && weight_ > 0 ? value_ / weight_ : value_;
    }

  private:
    double value_ = 0, weight_ = 0;
};

inline void sort_metrics(std::vector<RowMetric>& metrics) {
    std::sort(metrics.begin(), metrics.end(),
              [](const RowMetric& a, const RowMetric& b) { return a.metric < b.metric; });
}

// Adds the values of another row, each of which represents `other_weight` things, to those of a row
// that represents `weight`.
inline void add_metrics(std::vector<RowMetric>& sum, double weight,
                        const std::vector<RowMetric>& other, double other_weight,
                        const std::vector<Metric>& metrics) {
    for (const RowMetric& value : other) {
        const auto known = std::find_if(sum.begin(), sum.end(), [&](const RowMetric& one) {
            return one.metric == value.metric;
        });
        if (known == sum.end()) {
            sum.push_back(value);
            continue;
        }
        const Reduction reduction = metrics[value.metric].reduction;
        MetricMean both;
        both.add(known->value, weight, reduction);
        both.add(value.value, other_weight, reduction);
        known->value = both.result(reduction);
    }
    sort_metrics(sum);
}

// Adds the row of other threads, or that of another run.
inline void add_thread_row(ThreadFigures& sum, const ThreadFigures& other,
                           const std::vector<Metric>& metrics, Several what = Several::ranks) {
    add_metrics(sum.metrics, static_cast<double>(sum.threads), other.metrics,
                static_cast<double>(other.threads), metrics);
    add_figures(sum, other, what);
}

// All ranks of a host read the same values, one of them for the longest time: the largest sum is
// that of the host.
inline void add_reading(HostMetric& sum, const HostMetric& other,
                        const std::vector<Metric>& metrics) {
    const bool smallest = metrics[sum.metric].reduction == Reduction::min;
    sum.value = together(sum.value, other.value, smallest ? Reduction::min : Reduction::max);
}

// One process of a host samples it, or one on each of several hosts that cannot be distinguished.
inline void add_sampled(RegionMetric& sum, const RegionMetric& other,
                        const std::vector<Metric>& metrics) {
    sum.value = together(sum.value, other.value, metrics[sum.metric].reduction);
}

// The addresses of another rank or run.
inline void add_address_row(PathAddresses& sum, const PathAddresses& other, Several what) {
    add_figures(sum, other, what);
    add_addresses(sum, other);
}

inline void add_latency_row(PathLatencies& sum, const PathLatencies& other, Several what) {
    add_figures(sum, other, what);
    add_latencies(sum, other);
}

// The same for a row of any list.
template <class Row>
void add_row(Row& sum, const Row& other, const std::vector<Metric>& metrics,
             Several what = Several::ranks) {
    if constexpr (std::is_same_v<Row, ThreadFigures>)
        add_thread_row(sum, other, metrics, what);
    else if constexpr (std::is_same_v<Row, HostMetric>)
        add_reading(sum, other, metrics);
    else if constexpr (std::is_same_v<Row, RegionMetric>)
        add_sampled(sum, other, metrics);
    else if constexpr (std::is_same_v<Row, PathAddresses>)
        add_address_row(sum, other, what);
    else if constexpr (std::is_same_v<Row, PathLatencies>)
        add_latency_row(sum, other, what);
    else
        add_figures(sum, other, what);
}

// Visits each value of a metric in the profile's lists as visit(metric, value), except for those
// over time.
template <class Visit>
void for_each_metric_value(Profile& profile, Visit visit) {
    const auto of_list = [&](auto& values) {
        for (auto& value : values)
            visit(profile.metrics[value.metric], value.value);
    };
    of_list(profile.metric_values);
    of_list(profile.rank_metrics);
    of_list(profile.host_metrics);
    of_list(profile.region_metrics);
    for (ThreadFigures& thread : profile.threads)
        of_list(thread.metrics);
}

// The value of a metric in a row; nullptr: it does not have one.
inline const double* metric_of(const std::vector<RowMetric>& metrics, std::uint32_t metric) {
    for (const RowMetric& value : metrics)
        if (value.metric == metric)
            return &value.value;
    return nullptr;
}

}  // namespace vftrace
