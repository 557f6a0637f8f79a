// Metrics as columns of tables: their headers, units and numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"
#include "report/table.hpp"

namespace vftrace {

// The first part of a metric's name, which says where it comes from: "hwprof" of "hwprof.T".
std::string_view source_name(const Metric& metric);

// Whether the metrics of a source are shown by tables of its own, and nowhere else.
bool has_own_tables(std::string_view source);

class MetricColumn {
  public:
    // `metric`: index into profile.metrics.
    MetricColumn(const Profile& profile, std::uint32_t metric);
    // The same of values that are not in a profile.
    MetricColumn(const Metric& metric, bool integers);

    std::uint32_t metric() const { return metric_; }
    // "Waited[s]"
    const std::string& header() const { return header_; }
    // Of a table; refers to this object.
    Column column() const { return {header_, CellType::fixed, decimals_}; }
    // In the unit of the header: nanoseconds as seconds.
    double shown(double value) const { return value * factor_; }
    void add_cell(const double* value, TableRow& row) const {
        value&& std::isfinite(*value) ? row.number(shown(*value)) : row.blank();
    }

  private:
    std::uint32_t metric_ = no_index;
    std::string header_;
    int decimals_ = 0;
    double factor_ = 1;
};

// Those of this scope that no source shows in tables of its own, in the order of the profile.
std::vector<MetricColumn> metric_columns(const Profile& profile, MetricScope scope);

}  // namespace vftrace
