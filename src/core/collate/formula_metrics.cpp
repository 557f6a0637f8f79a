#include "collate/formula_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "config/formula.hpp"
#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

std::string_view source_of(const Metric& metric) {
    return std::string_view(metric.name).substr(0, metric.name.find('.'));
}
std::string_view id_of(const Metric& metric) {
    return std::string_view(metric.name).substr(metric.name.find('.') + 1);
}

bool is_same_row(const MetricValue& a, const MetricValue& b) { return a.path == b.path; }
bool is_same_row(const RankMetric& a, const RankMetric& b) { return a.rank == b.rank; }
bool is_same_row(const HostMetric& a, const HostMetric& b) {
    return a.host == b.host && a.device == b.device;
}
bool is_same_row(const RowMetric&, const RowMetric&) { return true; }  // each row has its own list

class FormulaMetric {
  public:
    FormulaMetric(const Profile& profile, std::uint32_t metric)
        : metric_(metric), formula_(profile.metrics[metric].formula, names_of_variables(profile)),
          values_(variables_.size()) {}

    bool can_be_computed() const { return formula_.error().text.empty(); }

    // `values` is a list of the profile in which the values of a row are adjacent.
    template <class Value>
    void add_to(std::vector<Value>& values) {
        std::vector<Value> computed;
        for (std::size_t i = 0; i < values.size();) {
            const std::size_t first = i;
            std::fill(values_.begin(), values_.end(), std::numeric_limits<double>::quiet_NaN());
            for (; i < values.size() && is_same_row(values[first], values[i]); i++)
                for (std::size_t v = 0; v < variables_.size(); v++)
                    if (variables_[v] == values[i].metric)
                        values_[v] = values[i].value;
            const double value = formula_.evaluate(values_);
            if (!std::isfinite(value))
                continue;
            computed.push_back(values[first]);
            computed.back().metric = metric_;
            computed.back().value = value;
        }
        values.insert(values.end(), computed.begin(), computed.end());
    }

  private:
    std::vector<std::string> names_of_variables(const Profile& profile) {
        const Metric& own = profile.metrics[metric_];
        std::vector<std::string> names;
        for (std::uint32_t i = 0; i < profile.metrics.size(); i++) {
            const Metric& other = profile.metrics[i];
            if (!other.formula.empty() || other.scope != own.scope ||
                source_of(other) != source_of(own) || !is_formula_name(id_of(other)))
                continue;
            variables_.push_back(i);
            names.emplace_back(id_of(other));
        }
        return names;
    }

    std::uint32_t metric_;
    std::vector<std::uint32_t> variables_;  // metrics
    Formula formula_;
    std::vector<double> values_;
};

// Calls visit(list) with each list of values.
template <class Visit>
void for_each_list_of_values(Profile& profile, Visit visit) {
    visit(profile.metric_values);
    visit(profile.rank_metrics);
    visit(profile.host_metrics);
    for (ThreadFigures& thread : profile.threads)
        visit(thread.metrics);
}

}  // namespace

void add_formula_metrics(Profile& profile) {
    for (std::size_t i = 0; i < std::size(metric_rows); i++) {
        const MetricRow& row = metric_rows[i];
        const auto is_of_it = [&](const Metric& metric) {
            return metric.scope == row.scope && source_of(metric) == row_of(row.source).name;
        };
        if (!row.formula.empty() &&
            std::any_of(profile.metrics.begin(), profile.metrics.end(), is_of_it))
            profile.metrics.push_back(described_metric(static_cast<MetricId>(i), 0));
    }
}

void compute_formula_metrics(Profile& profile) {
    const auto is_computed = [&](const auto& value) {
        return !profile.metrics[value.metric].formula.empty();
    };
    bool any = false;
    for (const Metric& metric : profile.metrics)
        any |= !metric.formula.empty();
    if (!any)
        return;
    for_each_list_of_values(profile, [&](auto& values) {
        values.erase(std::remove_if(values.begin(), values.end(), is_computed), values.end());
    });
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++) {
        if (profile.metrics[i].formula.empty())
            continue;
        FormulaMetric metric(profile, i);
        if (metric.can_be_computed())
            for_each_list_of_values(profile, [&](auto& values) { metric.add_to(values); });
    }
    sort_rows(profile.metric_values);
    sort_rows(profile.rank_metrics);
    sort_rows(profile.host_metrics);
    for (ThreadFigures& thread : profile.threads)
        sort_metrics(thread.metrics);
}

}  // namespace vftrace
