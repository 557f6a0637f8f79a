// Metrics as columns of tables: their headers, units and numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "profile/profile.hpp"
#include "report/table.hpp"

namespace vftrace {

// The first part of a metric's name, which says where it comes from: "hwprof" of "hwprof.T".
std::string_view source_name(const Metric& metric);

// The title of a source, or its name if it does not have one or this version does not know it.
std::string title_of_source(std::string_view source);

// Whether the metrics of a source are shown in its own tables, and nowhere else.
bool has_own_tables(std::string_view source);

// Whether logs show the metrics of a source; those of other sources are only shown by commands, on
// request.
bool is_in_logs(std::string_view source);

// What decides how the values of a metric are shown.
class MetricRange {
  public:
    void add(double value);
    bool any() const { return any_; }
    bool integers() const { return integers_; }
    double largest() const { return largest_; }

  private:
    bool any_ = false, integers_ = true;
    double largest_ = 0;  // without sign
};

// Refers to the metric, which must live at least as long.
class MetricColumn {
  public:
    // `metric`: index into profile.metrics.
    MetricColumn(const Profile& profile, std::uint32_t metric);
    // The same for values that are not in a profile.
    MetricColumn(const Metric& metric, const MetricRange& values);

    std::uint32_t metric() const { return metric_; }
    const std::string& title() const { return title_; }
    // "Smallest[s]", for another figure in the same unit.
    std::string with_unit(const std::string& title) const {
        return unit_.empty() ? title : title + '[' + unit_ + ']';
    }
    // "Waited[s]"
    const std::string& header() const { return header_; }
    // The column of a table; refers to this object.
    Column column() const { return column(id_, header_); }
    // That of another figure in the same unit, "smallest".
    Column column(std::string_view id, std::string_view header) const {
        return number_column(id, header, unit_, decimals_);
    }
    // In the unit of the header: nanoseconds as seconds, many bytes as MiB.
    double shown(double value) const { return value * factor_; }
    // The same as text, for tables whose rows have their own units.
    std::string text(double value) const { return format("%.*f", decimals_, shown(value)); }
    void add_cell(const double* value, TableRow& row) const {
        value&& std::isfinite(*value) ? row.number(shown(*value)) : row.blank();
    }

  private:
    std::uint32_t metric_ = no_index;
    std::string_view id_;
    std::string title_, unit_, header_;
    int decimals_ = 0;
    double factor_ = 1;
};

// Those of this scope that no source shows in its own tables, in the order of the profile.
std::vector<MetricColumn> metric_columns(const Profile& profile, MetricScope scope);

// The values that a table shows for one path or rank.
struct MetricTableRow {
    std::uint32_t of;
    std::vector<const double*> values;  // by column; nullptr: none

    // The value by which rows are sorted: the first column; 0 if that is blank, or not a number.
    double first() const { return values[0] && std::isfinite(*values[0]) ? *values[0] : 0.0; }
};

// Makes rows from values that are sorted by their member `of`; those of other metrics are left out.
template <class Value>
std::vector<MetricTableRow> metric_table_rows(const std::vector<Value>& values,
                                              std::uint32_t Value::*of,
                                              const std::vector<MetricColumn>& columns) {
    std::vector<MetricTableRow> rows;
    for (const Value& value : values)
        for (std::size_t i = 0; i < columns.size(); i++) {
            if (columns[i].metric() != value.metric)
                continue;
            if (rows.empty() || rows.back().of != value.*of)
                rows.push_back({value.*of, std::vector<const double*>(columns.size())});
            rows.back().values[i] = &value.value;
        }
    return rows;
}

struct MetricsOfSource {
    std::string id;     // "yields"
    std::string title;  // "Yields of the processor"; the name of a source that is unknown here
    std::vector<MetricColumn> columns;
};

// The same by source.
std::vector<MetricsOfSource> metrics_by_source(const Profile& profile, MetricScope scope);

// Whether there are metrics of this scope that logs show.
bool has_metrics_of_logs(const Profile& profile, MetricScope scope);

}  // namespace vftrace
