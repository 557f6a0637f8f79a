// How metrics differ between two runs, as vftrace diff prints it.
#include "tools/metric_differences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "profile/profile_json_words.hpp"
#include "report/metric_columns.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

MetricRange range_of(const std::vector<MetricDifferenceRow>& rows) {
    MetricRange range;
    for (const MetricDifferenceRow& row : rows)
        for (const auto& value : {row.a, row.b})
            range.add(value.value_or(0));
    return range;
}

void print_one(const MetricDifference& difference, DifferenceBy by, std::size_t limit,
               OutputFile& out) {
    const std::vector<MetricDifferenceRow>& rows = difference.rows;
    const MetricColumn metric(difference.metric, range_of(rows));
    std::vector<Column> columns{metric.column("a", "A"), metric.column("b", "B"),
                                metric.column("more", "B-A"), number_column("ratio", "B/A", "", 3)};
    const MetricScope scope = difference.metric.scope;
    if (scope == MetricScope::path)
        columns.push_back(text_column(by == DifferenceBy::path ? "callpath" : "function",
                                      by == DifferenceBy::path ? "Call path" : "Function",
                                      Align::left));
    const std::string name =
        difference.metric.title.empty() ? "" : fmt::format(" ({})", difference.metric.name);
    const std::string title = fmt::format(
        "\n{}{}{}", metric.header(), name,
        scope == MetricScope::path ? ""
        : scope == MetricScope::region
            ? ", whole run"
            : fmt::format(", all {}s", profile_json::word_of(profile_json::scopes, scope)));
    const std::size_t shown = std::min(rows.size(), limit);
    const TableSpec spec = {.id = difference.metric.name,
                            .title = title,
                            .row = scope == MetricScope::path ? columns.back().id : "sum",
                            .columns = columns};
    print_table(out, spec, shown, [&](std::size_t i, TableRow& cells) {
        const MetricDifferenceRow& row = rows[i];
        metric.add_cell(row.a ? &*row.a : nullptr, cells);
        metric.add_cell(row.b ? &*row.b : nullptr, cells);
        cells.number(metric.shown(row.difference()));
        row.a.value_or(0) > 0 ? cells.number(row.b.value_or(0) / *row.a) : cells.blank();
        if (scope == MetricScope::path)
            cells.text(row.text);
    });
    if (shown < rows.size())
        out.write(fmt::format("({} more row{})\n", rows.size() - shown,
                              rows.size() - shown == 1 ? "" : "s"));
}

void write_one(const MetricDifference& metric, DifferenceBy by, JsonWriter& json) {
    json.begin_object();
    json.key("name").string(metric.metric.name);
    json.key("unit").string(metric.metric.unit);
    json.key("rows").begin_array();
    for (const MetricDifferenceRow& row : metric.rows) {
        json.begin_object(JsonWriter::Layout::compact);
        if (metric.metric.scope == MetricScope::path)
            json.key(by == DifferenceBy::path ? "path" : "function").string(row.text);
        for (const auto& [key, value] : {std::pair("a", row.a), std::pair("b", row.b)}) {
            json.key(key);
            value ? json.number(*value) : json.null();
        }
        json.key("difference").number(row.difference());
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

}  // namespace

void print_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              std::size_t limit, OutputFile& out) {
    for (const MetricDifference& metric : metrics)
        if (metric.metric.part != MetricPart::inclusive)
            print_one(metric, by, limit, out);
}

void write_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              JsonWriter& json) {
    if (metrics.empty())
        return;
    json.key("metrics").begin_array();
    for (const MetricDifference& metric : metrics)
        write_one(metric, by, json);
    json.end_array();
}

}  // namespace vftrace::tools
