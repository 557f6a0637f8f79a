// Reads a profile back from JSON. Nothing in the file is trusted: any fault in it leads to a
// ProfileFormatError.
#include "readers/profile_json_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/core.h>

#include "profile/counter_metrics.hpp"
#include "profile/display_names.hpp"
#include "profile/profile_json_words.hpp"
#include "readers/json_document.hpp"
#include "readers/profile_parts_json.hpp"
#include "readers/row_json_reader.hpp"

namespace vftrace {
namespace {

// Reads the data of runs with hardware counters.
void read_counters(const JsonObject& json, RunInfo& run) {
    run.counter_source = json.optional_string("counter_source");
    if (run.counter_source.empty())
        return;
    json.for_each_object("counters", [&](const JsonObject& counter) {
        run.counters.push_back(
            {.name = counter.string("name"), .symbol = counter.string("symbol")});
    });
    json.for_each_object("observables", [&](const JsonObject& observable) {
        run.observables.push_back(
            {observable.string("name"), observable.string("formula"), observable.string("unit")});
    });
}

void read_parameters(const JsonObject& json, RunInfo& run) {
    if (!json.find("parameters"))
        return;
    json.for_each_object("parameters", [&](const JsonObject& parameter) {
        const double value = parameter.to_real("value", parameter.get("value"));
        if (!std::isfinite(value))
            parameter.fail("value", "must be a number");
        if (add_parameter(run.parameters, {parameter.string("name"), value}))
            parameter.fail("name", "is given twice");
    });
}

RunInfo read_run(const JsonObject& json) {
    RunInfo run;
    run.application = json.string("application");
    run.command_line = json.string("command_line");
    run.host = json.string("host");
    run.pid = json.integer<std::int64_t>("pid");
    run.uses_mpi = json.optional_boolean("uses_mpi", false);
    run.rank = json.integer<std::uint32_t>("rank");
    run.ranks = json.integer<std::uint32_t>("ranks");
    run.threads = json.integer<std::uint32_t>("threads");
    run.start_unix_ns = json.integer<std::int64_t>("start_unix_ns");
    run.end_unix_ns = json.integer<std::int64_t>("end_unix_ns");
    run.runtime_ns = json.integer<std::int64_t>("runtime_ns");
    run.paused_ns = json.integer<std::int64_t>("paused_ns");
    if (json.find("sample_period_ns")) {
        run.sample_period_ns = json.integer<std::int64_t>("sample_period_ns");
        run.sample_clock = json.optional_string("sample_clock");
        run.processor_ns = json.optional_integer<std::int64_t>("processor_ns", -1);
        run.unsampled_ns = json.optional_integer<std::int64_t>("unsampled_ns", -1);
    }
    run.delay_ns = json.optional_integer<std::int64_t>("delay_ns", -1);
    run.delay_error_ns = json.optional_integer<std::int64_t>("delay_error_ns", 0);
    run.shortest_wait_ns = json.optional_integer<std::int64_t>("shortest_wait_ns", -1);
    run.ended = json.optional_string("ended");
    run.snapshot = json.optional_boolean("snapshot", false);
    read_overhead_json(json, run);
    run.memory_bytes = json.integer<std::uint64_t>("memory_bytes");
    read_notices_json(json, run);
    read_parameters(json, run);
    read_counters(json, run);
    run.visible_gpus = json.optional_string("visible_gpus");
    run.config_source = json.string("config_source");
    return run;
}

Function read_function(const JsonObject& json, std::size_t modules) {
    Function function;
    const std::string kind = json.string("kind");
    function.kind = kind_of_word(kind);
    if (function.kind == NodeKind::other)
        function.other_kind = kind;
    function.name = json.string("name");
    function.display = json.string("display");
    function.symbol = json.optional_string("symbol");
    function.display = display_with_module(function);
    function.demangled = json.optional_string("demangled");
    if (json.find("module"))
        function.module = json.index("module", modules);
    if (function.kind == NodeKind::section)
        function.offset = json.optional_integer<std::uint32_t>("level", 1);
    else if (json.find("offset"))
        function.offset = json.hexadecimal("offset");
    function.file = json.optional_string("file");
    function.line = json.optional_integer<std::uint32_t>("line", 0);
    return function;
}

Path read_path(const JsonObject& json, std::size_t position, std::size_t functions) {
    Path path;
    if (json.integer<std::uint32_t>("id") != position)
        json.fail("id", "must be the position in the list");
    if (position > 0)
        path.parent = json.index("parent", position);
    else if (json.find("parent"))
        json.fail("parent", "must be null for the first one");
    path.function = json.index("function", functions);
    path.stid = json.integer<std::uint32_t>("stid");
    path.hash = json.hexadecimal("hash");
    read_figures_json(json, path);
    if (json.find("flags"))
        json.for_each("flags", [&](const JsonValue* flag, std::size_t) {
            path.flags |= json.to_known_word("flags", flag, profile_json::path_flags, PathFlag{});
        });
    return path;
}

FilteredFunction read_filtered(const JsonObject& json, std::size_t functions) {
    FilteredFunction filtered;
    filtered.function = json.index("function", functions);
    filtered.reason = json.to_known_word("reason", json.get("reason"), profile_json::filter_reasons,
                                         FilterReason::budget);
    read_figures_json(json, filtered);
    filtered.moment_ns = json.optional_integer<std::int64_t>("moment_ns", -1);
    filtered.still_called = json.optional_boolean("still_called", false);
    return filtered;
}

Metric read_metric(const JsonObject& json) {
    Metric metric;
    metric.name = json.string("name");
    metric.unit = json.string("unit");
    metric.reduction = json.word("reduction", profile_json::reductions);
    // The values of a scope of a later version are not read here.
    if (const JsonValue* scope = json.find("scope"))
        metric.scope = json.to_known_word("scope", scope, profile_json::scopes, MetricScope::path);
    if (const JsonValue* part = json.find("part"))
        metric.part = json.to_known_word("part", part, profile_json::parts, MetricPart::point);
    metric.title = json.optional_string("title");
    metric.formula = json.optional_string("formula");
    return metric;
}

void read_metric_values(const JsonObject& json, std::uint32_t path, Profile& profile) {
    for_each_metric_value(json, profile.metrics, [&](std::uint32_t metric, double value) {
        profile.metric_values.push_back({path, metric, value});
    });
}

RankSpread read_spread(const JsonObject& json, std::uint32_t ranks) {
    RankSpread spread;
    spread.ranks = json.integer<std::uint32_t>("count");
    if (spread.ranks < 1 || spread.ranks > ranks)
        json.fail("count", "must be between 1 and the number of ranks");
    spread.min_rank = json.index("min_rank", ranks);
    spread.max_rank = json.index("max_rank", ranks);
    spread.min_ns = json.integer<std::int64_t>("min_ns");
    spread.max_ns = json.integer<std::int64_t>("max_ns");
    if (spread.min_ns > spread.max_ns)
        json.fail("min_ns", "must not be larger than max_ns");
    return spread;
}

// Returns the bin, which must be above the bins that were read before.
std::size_t read_size_bin(const JsonObject& json, std::size_t first_possible, Profile& profile) {
    const auto size = json.integer<std::uint64_t>("from_bytes");
    const auto bin = static_cast<std::size_t>(std::bit_width(size));
    if (size != smallest_size(bin) || json.integer<std::uint64_t>("to_bytes") != largest_size(bin))
        json.fail("from_bytes", "must begin a range from a power of two to below the next");
    if (bin < first_possible)
        json.fail("from_bytes", "must be larger than the one before");
    read_figures_json(json, profile.message_sizes[bin]);
    return bin;
}

void read_message_sizes(const JsonObject& json, Profile& profile) {
    std::size_t next_bin = 0;
    if (json.find("message_sizes"))
        json.for_each_object("message_sizes", [&](const JsonObject& bin) {
            next_bin = read_size_bin(bin, next_bin, profile) + 1;
        });
}

// Reads the data of rows in addition to their keys, labels and figures.
struct DetailsReader {
    Profile& profile;

    template <class Row>
    void operator()(const JsonObject&, Row&) const {}
    void operator()(const JsonObject& json, ThreadFigures& thread) const {
        read_thread_details(json, thread, profile);
    }
    void operator()(const JsonObject& json, Series& series) const { read_points(json, series); }
    void operator()(const JsonObject& json, PathAddresses& row) const { read_addresses(json, row); }
    void operator()(const JsonObject& json, PathLatencies& row) const { read_latencies(json, row); }
    void operator()(const JsonObject& json, RankValues& values) const {
        read_rank_values(json, values, profile.run.ranks);
    }
    void operator()(const JsonObject& json, PathGpuWork& work) const {
        const JsonValue* member = json.find("ranks");
        if (member && (work.by_rank.ranks < 1 || work.by_rank.ranks > profile.run.ranks))
            JsonObject(member, &json, "ranks")
                .fail("count", "must be between 1 and the number of ranks");
    }
};

void read_lists(const JsonObject& document, Profile& profile) {
    for_each_list([&](const auto& list) {
        const auto read = [&](const JsonObject& section) {
            read_list_json(section, list.name, profile.*list.rows, profile, DetailsReader{profile});
        };
        if (list.name[0] == '\0')
            return;
        if (list.section[0] == '\0')
            read(document);
        else if (const JsonValue* section = document.find(list.section))
            read(JsonObject(section, &document, list.section));
    });
}

Profile read_document(const JsonObject& json) {
    const JsonValue* format = json.find("format");
    if (!format || !format->IsString() || format->GetString() != profile_json::format_name)
        throw ProfileFormatError("is JSON, but not a vftrace profile");
    if (const int found = json.integer<std::int32_t>("version");
        found != profile_json::format_version)
        throw ProfileFormatError(
            fmt::format("has version {} of the profile format, but this program reads version {}",
                        found, profile_json::format_version));
    Profile profile;
    profile.run = read_run(JsonObject(json.get("run"), &json, "run"));
    json.for_each_object("modules", [&](const JsonObject& module) {
        profile.modules.push_back({module.string("path"), module.optional_string("build_id")});
    });
    json.for_each_object("functions", [&](const JsonObject& function) {
        profile.functions.push_back(read_function(function, profile.modules.size()));
    });
    json.for_each_object("metrics", [&](const JsonObject& metric) {
        profile.metrics.push_back(read_metric(metric));
    });
    find_metrics_of_counters(profile);
    json.for_each_object("nodes", [&](const JsonObject& node) {
        const std::size_t position = profile.paths.size();
        if (position >= no_index)
            json.fail("nodes", "has more entries than this program can handle");
        const auto index = static_cast<std::uint32_t>(position);
        profile.paths.push_back(read_path(node, position, profile.functions.size()));
        if (node.find("metrics"))
            read_metric_values(node, index, profile);
        if (const JsonValue* spread = node.find("ranks")) {
            profile.spread.resize(position + 1);
            profile.spread.back() =
                read_spread(JsonObject(spread, &node, "ranks"), profile.run.ranks);
        }
        if (const JsonValue* member = node.find("messages")) {
            PathMessages& messages = profile.messages.emplace_back();
            messages.path = index;
            read_figures_json(JsonObject(member, &node, "messages"), messages);
        }
    });
    if (!profile.spread.empty())
        profile.spread.resize(profile.paths.size());
    read_lists(json, profile);
    if (json.find("filtered"))
        json.for_each_object("filtered", [&](const JsonObject& filtered) {
            profile.filtered.push_back(read_filtered(filtered, profile.functions.size()));
        });
    read_message_sizes(json, profile);
    return profile;
}

}  // namespace

Profile parse_profile_json(std::string_view text) {
    const JsonDocument document(text);
    Profile profile = read_document(JsonObject(&document.root, nullptr, ""));
    profile.run.config_text = document.config;
    return profile;
}

Profile read_profile_json(const std::string& path) {
    const std::string text = text_of_file(path);
    try {
        return parse_profile_json(text);
    } catch (const ProfileFormatError& error) {
        throw ProfileFormatError(fmt::format("{}: {}", path, error.what()));
    }
}

}  // namespace vftrace
