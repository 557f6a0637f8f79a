// The metrics of sources and their properties: record/sources.inc as a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "record/wait_kinds.hpp"

namespace vftrace {

// The kinds of objects that have values of a metric.
enum class MetricScope : std::uint8_t {
    path,
    thread,
    rank,    // the whole process
    series,  // the process, at points in time
    host,    // the machine; all processes there read the same values
    device,  // a part of the machine, such as a GPU or a processor
    region   // a region on a host, from the samples of one process there
};
inline constexpr std::size_t metric_scopes = 7;
inline constexpr std::size_t tree_scopes =
    2;  // the first of these: kept by threads with their trees

// How a value of a path relates to those of the paths below it.
enum class MetricPart : std::uint8_t {
    exclusive,  // not at all: their values have to be added
    inclusive,  // it includes their values
    point       // values are not added: a size, a temperature
};

// How values of threads and ranks are combined.
enum class Reduction : std::uint8_t { sum, max, min, mean };

enum class SourceId : std::uint8_t {
#define VFTRACE_SOURCE(id, title) id,
#include "record/sources.inc"
};

enum class MetricId : std::uint16_t {
#define VFTRACE_METRIC(source, id, title, unit, scope, part, reduction) source##_##id,
#define VFTRACE_FORMULA(source, id, title, unit, scope, formula) source##_##id,
#include "record/sources.inc"
};

struct SourceRow {
    std::string_view name, title;
    bool in_logs = true;
};

struct MetricRow {
    SourceId source;
    std::string_view name, title, unit;
    MetricScope scope;
    MetricPart part;
    Reduction reduction;
    std::string_view formula{};  // empty: it is measured
};

inline constexpr SourceRow source_rows[] = {
#define VFTRACE_SOURCE(id, title) {#id, title},
#define VFTRACE_QUIET_SOURCE(id, title) {#id, title, false},
#include "record/sources.inc"
};
inline constexpr std::size_t source_count = std::size(source_rows);

inline constexpr MetricRow metric_rows[] = {
#define VFTRACE_METRIC(source, id, title, unit, scope, part, reduction)                            \
    {SourceId::source, #source "." #id,     title, unit, MetricScope::scope,                       \
     MetricPart::part, Reduction::reduction},
#define VFTRACE_FORMULA(source, id, title, unit, scope, formula)                                   \
    {SourceId::source,   #source "." #id,   title,           unit,                                 \
     MetricScope::scope, MetricPart::point, Reduction::mean, formula},
#include "record/sources.inc"
};

// All ranks of a host read the same values, for which a mean is not defined.
static_assert([] {
    for (const MetricRow& row : metric_rows)
        if ((row.scope == MetricScope::host || row.scope == MetricScope::device) &&
            row.reduction == Reduction::mean && row.formula.empty())
            return false;
    return true;
}());

constexpr const SourceRow& row_of(SourceId source) {
    return source_rows[static_cast<std::size_t>(source)];
}
constexpr const MetricRow& row_of(MetricId metric) {
    return metric_rows[static_cast<std::size_t>(metric)];
}

// The kind of waiting that is the subject of a metric; nullptr: subjects have numbers.
constexpr const WaitKindRow* subject_kind(MetricId metric, unsigned index) {
    const bool has_kinds = metric == MetricId::waiting_time || metric == MetricId::waiting_waits;
    return has_kinds && index > 0 && index <= wait_kinds ? &wait_kind_rows[index - 1] : nullptr;
}

// Whether this is the name of a metric in profiles: "task.created" or, of one of its subjects,
// "task.runs.7" or "waiting.time.sleep". Index 0: the metric does not have several subjects.
constexpr bool is_named(std::string_view name, MetricId metric, unsigned index) {
    constexpr unsigned ten = 10;
    if (!name.starts_with(row_of(metric).name))
        return false;
    name.remove_prefix(row_of(metric).name.size());
    if (const WaitKindRow* const kind = subject_kind(metric, index))
        return name.starts_with('.') && name.substr(1) == kind->word;
    for (; index > 0; index /= ten) {
        if (name.empty() || name.back() != static_cast<char>('0' + index % ten))
            return false;
        name.remove_suffix(1);
        if (index < ten)
            return name == ".";
    }
    return name.empty();
}

}  // namespace vftrace
