#include "collate/side_figures.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "base/relaxed.hpp"
#include "profile/metric_rows.hpp"

namespace vftrace {

Metric described_metric(MetricId id, std::uint16_t index) {
    const MetricRow& row = row_of(id);
    Metric metric;
    metric.name = row.name;
    metric.title = row.title;
    if (const WaitKindRow* const kind = subject_kind(id, index)) {
        metric.name.append(".").append(kind->word);
        metric.title.append(": ").append(kind->text);
    } else if (index > 0) {
        for (std::string* text : {&metric.name, &metric.title})
            *text += "." + std::to_string(index);
    }
    metric.unit = row.unit;
    metric.reduction = row.reduction;
    metric.scope = row.scope;
    metric.part = row.part;
    metric.formula = row.formula;
    return metric;
}

std::uint32_t metric_index(Profile& profile, Metric wanted) {
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].name == wanted.name && profile.metrics[i].scope == wanted.scope)
            return i;
    profile.metrics.push_back(std::move(wanted));
    return static_cast<std::uint32_t>(profile.metrics.size() - 1);
}

void sort_values_of_paths(Profile& profile) {
    std::sort(profile.metric_values.begin(), profile.metric_values.end(),
              [](const MetricValue& a, const MetricValue& b) {
                  return std::tie(a.path, a.metric) < std::tie(b.path, b.metric);
              });
}

const SideTable* side_table_of(const ThreadRecord& thread, SourceId source, MetricScope scope) {
    const SideTable* found = nullptr;
    visit_side_tables(thread, [&](const SideTable& table) {
        if (source_of(table) == source && scope_of(table) == scope)
            found = &table;
    });
    return found;
}

std::uint32_t SideFiguresSum::column_of(const SideColumn& column) {
    const auto known = std::find_if(columns_.begin(), columns_.end(), [&](const SideColumn& other) {
        return other.metric == column.metric && other.index == column.index;
    });
    const auto place = static_cast<std::uint32_t>(known - columns_.begin());
    if (known == columns_.end())
        columns_.push_back(column);
    return place;
}

void SideFiguresSum::add(const NodePaths::Thread& thread, std::uint32_t row) {
    visit_side_tables(*thread.record, [&](const SideTable& table) {
        if (source_of(table) == SourceId::hwprof)
            return;
        const MetricScope scope = scope_of(table);
        std::vector<Value>& values = values_[static_cast<std::size_t>(scope)];
        // A metric of a subject (a bin) is part of the profile if it has values.
        std::vector<std::uint32_t> columns;
        for (std::uint32_t i = 0; i < table.columns; i++)
            columns.push_back(table.described()[i].index > 0 ? no_index
                                                             : column_of(table.described()[i]));
        visit_side_rows(table, [&](const SideRow& figures) {
            std::uint32_t place = row;
            if (scope == MetricScope::path)
                place = figures.node && figures.node->number < thread.path_of.size()
                            ? thread.path_of[figures.node->number]
                            : no_index;
            if (place == no_index)
                return;
            for (std::uint32_t i = 0; i < table.columns; i++) {
                const SideColumn& column = table.described()[i];
                const std::uint64_t word = relaxed(figures.values()[i]);
                if (column.index > 0 && word == 0)
                    continue;
                if (columns[i] == no_index)
                    columns[i] = column_of(column);
                values.push_back({place, columns[i], number_of(word, column.value, ns_per_tick_)});
            }
        });
    });
}

// Adds metrics in the order of the table of sources. metric_of: the index of each column's metric.
void SideFiguresSum::add_metrics(std::vector<std::uint32_t>& metric_of) {
    std::vector<std::uint32_t> order(columns_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tie(columns_[a].metric, columns_[a].index) <
               std::tie(columns_[b].metric, columns_[b].index);
    });
    metric_of.resize(columns_.size());
    for (const std::uint32_t column : order) {
        metric_of[column] = static_cast<std::uint32_t>(profile_.metrics.size());
        profile_.metrics.push_back(
            described_metric(columns_[column].metric, columns_[column].index));
    }
}

void SideFiguresSum::finish() {
    std::vector<std::uint32_t> metric_of;
    add_metrics(metric_of);
    for (std::size_t scope = 0; scope < tree_scopes; scope++) {
        std::vector<Value>& values = values_[scope];
        const auto key = [](const Value& value) { return std::tie(value.row, value.column); };
        std::stable_sort(values.begin(), values.end(),
                         [&](const Value& a, const Value& b) { return key(a) < key(b); });
        for (std::size_t i = 0; i < values.size();) {
            const Value& first = values[i];
            const std::uint32_t metric = metric_of[first.column];
            MetricMean sum;
            for (; i < values.size() && key(values[i]) == key(first); i++)
                sum.add(values[i].value, 1, profile_.metrics[metric].reduction);
            const double value = sum.result(profile_.metrics[metric].reduction);
            if (scope == static_cast<std::size_t>(MetricScope::path))
                profile_.metric_values.push_back({first.row, metric, value});
            else
                profile_.threads[first.row].metrics.push_back({metric, value});
        }
    }
    sort_values_of_paths(profile_);
    for (ThreadFigures& thread : profile_.threads)
        sort_metrics(thread.metrics);
}

}  // namespace vftrace
