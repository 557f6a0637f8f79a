#include "commands/metric_differences.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "profile/heap.hpp"
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

std::string ratio_of(const MetricDifferenceRow& row) {
    return row.a.value_or(0) > 0 ? fmt::format("{:.3f}", row.b.value_or(0) / *row.a) : "";
}

// The variance of an estimate in a row, of both runs together.
double variance_of(const MetricDifferenceRow& row, const MetricDifference* variances) {
    if (!variances)
        return 0;
    const auto known = std::find_if(variances->rows.begin(), variances->rows.end(),
                                    [&](const auto& other) { return other.text == row.text; });
    return known == variances->rows.end() ? 0 : known->a.value_or(0) + known->b.value_or(0);
}

// Removes rows whose values are equal, as far as their errors allow to say so: those differences
// have a probability of 5 % or more if nothing has changed.
std::size_t remove_equal(std::vector<MetricDifferenceRow>& rows,
                         const MetricDifference* variances) {
    return std::erase_if(rows, [&](const MetricDifferenceRow& row) {
        return std::fabs(row.difference()) <= z_95 * std::sqrt(variance_of(row, variances));
    });
}

// A metric of call paths: its rows are functions or paths. `equal`: rows that were removed.
void print_paths(const MetricDifference& difference, std::size_t equal, DifferenceBy by,
                 std::size_t limit, OutputFile& out) {
    const std::vector<MetricDifferenceRow>& rows = difference.rows;
    if (rows.empty())
        return;
    const MetricColumn metric(difference.metric, range_of(rows));
    const Column columns[] = {metric.column("a", "A"), metric.column("b", "B"),
                              metric.column("more", "B-A"), text_column("ratio", "B/A"),
                              text_column(by == DifferenceBy::path ? "callpath" : "function",
                                          by == DifferenceBy::path ? "Call path" : "Function",
                                          Align::left)};
    const std::string name = difference.metric.title.empty()
                                 ? ""
                                 : fmt::format(" ({})", printable(difference.metric.name));
    const std::string title = fmt::format("\n{}{}", metric.header(), name);
    const std::size_t shown = std::min(rows.size(), limit);
    const TableSpec spec = {.id = difference.metric.name,
                            .title = title,
                            .row = std::end(columns)[-1].id,
                            .columns = columns};
    print_table(out, spec, shown, [&](std::size_t i, TableRow& cells) {
        const MetricDifferenceRow& row = rows[i];
        metric.add_cell(row.a ? &*row.a : nullptr, cells);
        metric.add_cell(row.b ? &*row.b : nullptr, cells);
        cells.number(metric.shown(row.difference()));
        cells.text(ratio_of(row));
        cells.text(row.text);
    });
    if (shown < rows.size())
        out.write(
            fmt::format("({} more row{})\n", rows.size() - shown, plural_s(rows.size() - shown)));
    if (equal > 0)
        out.write(
            fmt::format("({} row{} without a difference, or with one that is within the error "
                        "of the estimates)\n",
                        equal, plural_s(equal)));
}

// What was allocated: these are exact, or estimates whose errors are known.
constexpr MetricId heap_metrics[] = {MetricId::heap_allocated, MetricId::heap_calls,
                                     MetricId::heap_live, MetricId::heap_at_peak};
bool is_of_heap(const Metric& metric) {
    return std::any_of(std::begin(heap_metrics), std::end(heap_metrics),
                       [&](MetricId id) { return is_named(metric.name, id, 0); });
}
const MetricDifference* variances_of(const std::vector<MetricDifference>& metrics,
                                     const Metric& metric) {
    const auto known = std::find_if(metrics.begin(), metrics.end(), [&](const auto& other) {
        return other.metric.name == metric.name + "_variance";
    });
    return known == metrics.end() ? nullptr : &*known;
}

// Of what is read in every run, the sums of times say enough.
bool is_worth_a_table(const Metric& metric) {
    return is_in_logs(source_name(metric)) ||
           (metric.unit == "ns" && metric.reduction == Reduction::sum);
}

// The metrics of one source and scope that have one value per run.
using Sums = std::vector<const MetricDifference*>;

bool belong_together(const Metric& a, const Metric& b) {
    return a.scope == b.scope && source_name(a) == source_name(b);
}

void print_sums(const Sums& metrics, OutputFile& out) {
    const Metric& first = metrics.front()->metric;
    const std::string of_what =
        first.scope == MetricScope::region
            ? "whole run"
            : fmt::format("all {}s", profile_json::word_of(profile_json::scopes, first.scope));
    const std::string source = printable(source_name(first)), name = title_of_source(source),
                      title = name == source ? fmt::format("\n{}, {}", source, of_what)
                                             : fmt::format("\n{} ({}), {}", name, source, of_what);
    constexpr Column columns[] = {text_column("a", "A"), text_column("b", "B"),
                                  text_column("more", "B-A"), text_column("ratio", "B/A"),
                                  text_column("metric", "Metric", Align::left)};
    const TableSpec spec = {.id = source, .title = title, .row = "metric", .columns = columns};
    print_table(out, spec, metrics.size(), [&](std::size_t i, TableRow& cells) {
        const MetricDifference& difference = *metrics[i];
        const MetricDifferenceRow& row = difference.rows.front();
        const MetricColumn metric(difference.metric, range_of(difference.rows));
        cells.text(row.a ? metric.text(*row.a) : "");
        cells.text(row.b ? metric.text(*row.b) : "");
        cells.text(metric.text(row.difference()));
        cells.text(ratio_of(row));
        cells.text(metric.header());
    });
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
    std::vector<Sums> sources;
    for (const MetricDifference& metric : metrics) {
        if (metric.metric.part == MetricPart::inclusive)
            continue;
        if (metric.metric.scope == MetricScope::path) {
            if (is_of_heap(metric.metric)) {
                MetricDifference differing = metric;
                const std::size_t equal =
                    remove_equal(differing.rows, variances_of(metrics, metric.metric));
                print_paths(differing, equal, by, limit, out);
            } else if (is_worth_a_table(metric.metric)) {
                print_paths(metric, 0, by, limit, out);
            }
            continue;
        }
        const auto known = std::find_if(sources.begin(), sources.end(), [&](const Sums& sums) {
            return belong_together(sums.front()->metric, metric.metric);
        });
        if (known == sources.end())
            sources.push_back({&metric});
        else
            known->push_back(&metric);
    }
    for (const Sums& sums : sources)
        print_sums(sums, out);
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
