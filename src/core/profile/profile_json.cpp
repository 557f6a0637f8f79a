// Writes a profile as JSON, one line per function and one line per call path.
#include "profile/profile_json.hpp"

#include <algorithm>
#include <ctime>

#include "base/text.hpp"
#include "base/version.hpp"
#include "profile/json_writer.hpp"
#include "profile/list_json.hpp"
#include "profile/notice_json.hpp"
#include "profile/profile_json_words.hpp"
#include "profile/row_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

// 2026-11-21T01:32:50.123456789Z
std::string iso_8601_utc(std::int64_t unix_ns) {
    std::int64_t seconds = unix_ns / 1'000'000'000;
    std::int64_t nanoseconds = unix_ns % 1'000'000'000;
    if (nanoseconds < 0) {
        seconds--;
        nanoseconds += 1'000'000'000;
    }
    std::time_t time = static_cast<std::time_t>(seconds);
    std::tm utc{};
    gmtime_r(&time, &utc);
    return format("%04d-%02d-%02dT%02d:%02d:%02d.%09lldZ", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                  static_cast<long long>(nanoseconds));
}

std::string hexadecimal(std::uint64_t value) {
    return format("%llx", static_cast<unsigned long long>(value));
}

class ProfileWriter {
  public:
    ProfileWriter(const Profile& profile, OutputFile& out) : profile_(profile), json_(out) {}
    void write(FunctionRef<void(JsonWriter&)> write_more);

  private:
    void write_run();
    void write_parameters();
    void write_counters();
    void write_modules();
    void write_functions();
    void write_metrics();
    void write_nodes();
    void write_filtered();
    void write_node(std::uint32_t index);
    void write_flags(std::uint32_t flags);
    void write_metric_values(std::uint32_t path);
    void write_spread(std::uint32_t path);
    void write_message_sizes();
    // Writes nothing if the text is empty: most functions do not have a source file, for example.
    void write_unless_empty(std::string_view key, const std::string& text);

    const Profile& profile_;
    JsonWriter json_;
    // The first ones that are not written yet; both lists are sorted by path.
    std::size_t next_value_ = 0;     // of metric_values
    std::size_t next_messages_ = 0;  // of messages
};

void ProfileWriter::write(FunctionRef<void(JsonWriter&)> write_more) {
    json_.begin_object();
    json_.key("format").string(profile_json::format_name);
    json_.key("version").integer(profile_json::format_version);
    json_.key("generator").string(format("vftrace %s", version));
    write_run();
    std::string_view config = trim(profile_.run.config_text);
    json_.key("config").raw(config.empty() ? "null" : config);
    write_modules();
    write_functions();
    write_metrics();
    write_nodes();
    write_filtered();
    write_lists_json(profile_, json_);
    write_message_sizes();
    write_more(json_);
    json_.end_object();
}

void ProfileWriter::write_run() {
    const RunInfo& run = profile_.run;
    json_.key("run").begin_object();
    json_.key("application").string(run.application);
    json_.key("command_line").string(run.command_line);
    json_.key("host").string(run.host);
    json_.key("pid").integer(run.pid);
    json_.key("uses_mpi").boolean(run.uses_mpi);
    json_.key("rank").unsigned_integer(run.rank);
    json_.key("ranks").unsigned_integer(run.ranks);
    json_.key("threads").unsigned_integer(run.threads);
    json_.key("start").string(iso_8601_utc(run.start_unix_ns));
    json_.key("end").string(iso_8601_utc(run.end_unix_ns));
    json_.key("start_unix_ns").integer(run.start_unix_ns);
    json_.key("end_unix_ns").integer(run.end_unix_ns);
    json_.key("runtime_ns").integer(run.runtime_ns);
    json_.key("application_ns").integer(profile_.application_ns());
    json_.key("paused_ns").integer(run.paused_ns);
    if (run.sample_period_ns != 0) {
        json_.key("sample_period_ns").integer(run.sample_period_ns);
        json_.key("sample_clock").string(run.sample_clock);
        if (run.processor_ns >= 0) {
            json_.key("processor_ns").integer(run.processor_ns);
            json_.key("unsampled_ns").integer(run.unsampled_ns);
        }
    }
    if (run.delay_ns >= 0)
        json_.key("delay_ns").integer(run.delay_ns);
    if (run.delay_error_ns > 0)
        json_.key("delay_error_ns").integer(run.delay_error_ns);
    if (run.shortest_wait_ns >= 0)
        json_.key("shortest_wait_ns").integer(run.shortest_wait_ns);
    write_unless_empty("ended", run.ended);
    if (run.snapshot)
        json_.key("snapshot").boolean(true);
    write_overhead_json(run, json_);
    json_.key("memory_bytes").unsigned_integer(run.memory_bytes);
    write_notices_json(run, json_);
    write_parameters();
    write_counters();
    write_unless_empty("visible_gpus", run.visible_gpus);
    json_.key("config_source").string(run.config_source);
    json_.end_object();
}

void ProfileWriter::write_parameters() {
    if (profile_.run.parameters.empty())
        return;
    json_.key("parameters").begin_array();
    for (const RunParameter& parameter : profile_.run.parameters) {
        json_.begin_object(Layout::compact);
        json_.key("name").string(parameter.name);
        json_.key("value").number(parameter.value);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_counters() {
    const RunInfo& run = profile_.run;
    if (run.counter_source.empty())
        return;
    json_.key("counter_source").string(run.counter_source);
    json_.key("counters").begin_array();
    for (const CounterName& counter : run.counters) {
        json_.begin_object(Layout::compact);
        json_.key("name").string(counter.name);
        json_.key("symbol").string(counter.symbol);
        json_.end_object();
    }
    json_.end_array();
    json_.key("observables").begin_array();
    for (const ObservableFormula& observable : run.observables) {
        json_.begin_object(Layout::compact);
        json_.key("name").string(observable.name);
        json_.key("formula").string(observable.formula);
        json_.key("unit").string(observable.unit);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_modules() {
    json_.key("modules").begin_array();
    for (const Module& module : profile_.modules) {
        json_.begin_object(Layout::compact);
        json_.key("path").string(module.path);
        write_unless_empty("build_id", module.build_id);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_functions() {
    json_.key("functions").begin_array();
    for (const Function& function : profile_.functions) {
        json_.begin_object(Layout::compact);
        json_.key("kind").string(kind_word(function));
        json_.key("name").string(function.name);
        json_.key("display").string(function.display);
        write_unless_empty("symbol", function.symbol);
        write_unless_empty("demangled", function.demangled);
        if (function.module != no_index)
            json_.key("module").unsigned_integer(function.module);
        if (function.kind == NodeKind::section)
            json_.key("level").unsigned_integer(function.offset);
        else if (function.module != no_index || function.offset != 0)
            json_.key("offset").string(hexadecimal(function.offset));
        write_unless_empty("file", function.file);
        if (function.line != 0)
            json_.key("line").unsigned_integer(function.line);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_metrics() {
    json_.key("metrics").begin_array();
    for (const Metric& metric : profile_.metrics) {
        json_.begin_object(Layout::compact);
        json_.key("name").string(metric.name);
        json_.key("unit").string(metric.unit);
        json_.key("reduction")
            .string(profile_json::word_of(profile_json::reductions, metric.reduction));
        if (metric.scope != MetricScope::path)
            json_.key("scope").string(profile_json::word_of(profile_json::scopes, metric.scope));
        if (metric.part != MetricPart::exclusive)
            json_.key("part").string(profile_json::word_of(profile_json::parts, metric.part));
        write_unless_empty("title", metric.title);
        write_unless_empty("formula", metric.formula);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_nodes() {
    json_.key("nodes").begin_array();
    for (std::uint32_t i = 0; i < profile_.paths.size(); i++)
        write_node(i);
    json_.end_array();
}

void ProfileWriter::write_node(std::uint32_t index) {
    const Path& path = profile_.paths[index];
    json_.begin_object(Layout::compact);
    json_.key("id").unsigned_integer(index);
    json_.key("parent");
    if (path.parent == no_index)
        json_.null();
    else
        json_.unsigned_integer(path.parent);
    json_.key("function").unsigned_integer(path.function);
    json_.key("stid").unsigned_integer(path.stid);
    json_.key("hash").string(format("%016llx", static_cast<unsigned long long>(path.hash)));
    write_figures_json(path, json_);
    if (path.flags != 0)
        write_flags(path.flags);
    write_metric_values(index);
    write_spread(index);
    const std::vector<PathMessages>& messages = profile_.messages;
    if (next_messages_ < messages.size() && messages[next_messages_].path == index) {
        json_.key("messages").begin_object(Layout::compact);
        write_figures_json(messages[next_messages_], json_);
        json_.end_object();
        next_messages_++;
    }
    json_.end_object();
}

void ProfileWriter::write_filtered() {
    if (profile_.filtered.empty())
        return;
    json_.key("filtered").begin_array();
    for (const FilteredFunction& filtered : profile_.filtered) {
        json_.begin_object(Layout::compact);
        json_.key("function").unsigned_integer(filtered.function);
        json_.key("reason").string(
            profile_json::word_of(profile_json::filter_reasons, filtered.reason));
        write_figures_json(filtered, json_);
        if (filtered.moment_ns >= 0)
            json_.key("moment_ns").integer(filtered.moment_ns);
        json_.key("still_called").boolean(filtered.still_called);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_flags(std::uint32_t flags) {
    json_.key("flags").begin_array(Layout::compact);
    for (const auto& [flag, word] : profile_json::path_flags)
        if (flags & flag)
            json_.string(word);
    json_.end_array();
}

void ProfileWriter::write_metric_values(std::uint32_t path) {
    const std::vector<MetricValue>& values = profile_.metric_values;
    if (next_value_ == values.size() || values[next_value_].path != path)
        return;
    json_.key("metrics").begin_array(Layout::compact);
    for (; next_value_ < values.size() && values[next_value_].path == path; next_value_++)
        write_metric_json(values[next_value_].metric, values[next_value_].value, json_);
    json_.end_array();
}

void ProfileWriter::write_spread(std::uint32_t path) {
    if (path >= profile_.spread.size() || profile_.spread[path].ranks == 0)
        return;
    const RankSpread& spread = profile_.spread[path];
    json_.key("ranks").begin_object(Layout::compact);
    json_.key("count").unsigned_integer(spread.ranks);
    json_.key("min_rank").unsigned_integer(spread.min_rank);
    json_.key("min_ns").integer(spread.min_ns);
    json_.key("max_rank").unsigned_integer(spread.max_rank);
    json_.key("max_ns").integer(spread.max_ns);
    json_.end_object();
}

void ProfileWriter::write_message_sizes() {
    const auto is_empty = [](const SizeBin& bin) { return bin.sent == 0 && bin.received == 0; };
    if (std::all_of(profile_.message_sizes.begin(), profile_.message_sizes.end(), is_empty))
        return;
    json_.key("message_sizes").begin_array();
    for (std::size_t i = 0; i < size_bins; i++) {
        const SizeBin& bin = profile_.message_sizes[i];
        if (is_empty(bin))
            continue;
        json_.begin_object(Layout::compact);
        json_.key("from_bytes").unsigned_integer(smallest_size(i));
        json_.key("to_bytes").unsigned_integer(largest_size(i));
        write_figures_json(bin, json_);
        json_.end_object();
    }
    json_.end_array();
}

void ProfileWriter::write_unless_empty(std::string_view key, const std::string& text) {
    if (!text.empty())
        json_.key(key).string(text);
}

}  // namespace

void write_profile_json(const Profile& profile, OutputFile& out,
                        FunctionRef<void(JsonWriter&)> write_more) {
    ProfileWriter(profile, out).write(write_more);
}

void write_profile_json(const Profile& profile, OutputFile& out) {
    write_profile_json(profile, out, [](JsonWriter&) {});
}

int write_profile_json(const Profile& profile, const std::string& path) {
    OutputFile out(path);
    write_profile_json(profile, out);
    return out.close();
}

}  // namespace vftrace
