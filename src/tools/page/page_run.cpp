#include "page/page_run.hpp"

#include <string_view>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "efficiency/efficiencies.hpp"
#include "export/table_formats.hpp"
#include "findings/findings.hpp"
#include "profile/json_writer.hpp"
#include "profile/notice.hpp"
#include "report/time_split.hpp"
#include "report/views.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

// Rows of a table of a view; the command shows more.
constexpr std::size_t most_table_rows = 2000;

ReportOptions options_of_tables() {
    ReportOptions options;
    options.show_everything = true;
    options.sections.level = last_section_level;
    options.sections.branch = true;
    options.show_counters = options.show_counter_summary = true;
    options.show_openacc_details = true;
    options.print_config = false;
    options.max_rows = most_table_rows;
    options.max_name_width = 200;
    return options;
}

std::string tables_of(const View& view, const Profile& profile, const PathText& text,
                      const ReportOptions& options) {
    std::string json;
    OutputFile out(json);
    JsonTables tables(out);
    view.write(profile, text, options, LogScope::summary, tables);
    tables.end();
    out.close();
    return json;
}

void write_tables(const Profile& profile, JsonWriter& json) {
    const ReportOptions options = options_of_tables();
    const PathText text(profile, options.max_name_width, CutNames::where_they_are_alike);
    json.key("views").begin_object();
    for (const View& view : views()) {
        if (view.on_page != OnPage::tables || !view.exists(profile))
            continue;
        json.key(view.file.empty() ? view.option : view.file)
            .raw(tables_of(view, profile, text, options));
    }
    json.end_object();
}

void write_metrics(const Profile& profile, JsonWriter& json) {
    json.key("metrics").begin_array();
    for (const Metric& metric : profile.metrics) {
        json.begin_object(Layout::compact);
        json.key("name").string(metric.name);
        json.key("title").string(metric.title.empty() ? metric.name : metric.title);
        json.key("unit").string(metric.unit);
        json.key("exclusive").boolean(metric.part == MetricPart::exclusive);
        json.end_object();
    }
    json.end_array();
}

void write_run(const Profile& profile, JsonWriter& json) {
    const RunInfo& run = profile.run;
    json.key("run").begin_object();
    json.key("application").string(run.application);
    json.key("command_line").string(run.command_line);
    json.key("host").string(run.host);
    json.key("start_unix_ns").integer(run.start_unix_ns);
    json.key("end_unix_ns").integer(run.end_unix_ns);
    json.key("runtime_ns").integer(run.runtime_ns);
    json.key("application_ns").integer(profile.application_ns());
    json.key("paused_ns").integer(run.paused_ns);
    json.key("overhead_ns").integer(run.overhead_ns());
    json.key("delay_ns").integer(profile.delay_ns());
    json.key("sample_period_ns").integer(run.sample_period_ns);
    json.key("sample_clock").string(run.sample_clock);
    json.key("memory_bytes").unsigned_integer(run.memory_bytes);
    json.key("uses_mpi").boolean(run.uses_mpi);
    json.key("ranks").unsigned_integer(run.ranks);
    json.key("summed_ranks").integer(profile.summed_ranks());
    json.key("threads").unsigned_integer(run.threads);
    json.key("ended").string(run.ended);
    json.key("snapshot").boolean(run.snapshot);
    json.key("counter_source").string(run.counter_source);
    json.key("config").string(run.config_text);
    json.end_object();
}

void write_finding(const RunFinding& finding, const PageRun& page, JsonWriter& json) {
    json.begin_object(Layout::compact);
    json.key("rule").string(finding.rule);
    json.key("saved_seconds").number(finding.saved_seconds);
    json.key("share").number(finding.share);
    json.key("sentence").string(finding.sentence);
    if (finding.path < page.numbers.size())
        json.key("path").unsigned_integer(page.numbers[finding.path]);
    if (finding.rank != no_index)
        json.key("rank").unsigned_integer(finding.rank);
    json.key("reason").string(finding.reason);
    json.key("confidence").string(word_of(finding.confidence));
    json.key("next_step").string(finding.next_step);
    if (!finding.effects.empty()) {
        json.key("effects").begin_array();
        for (const RunFinding& effect : finding.effects)
            write_finding(effect, page, json);
        json.end_array();
    }
    json.end_object();
}

constexpr std::size_t most_time_bars = 16;

void write_findings(const Profile& profile, const PageRun& page, JsonWriter& json) {
    json.key("findings").begin_array();
    for (const RunFinding& finding : find_all(profile))
        write_finding(finding, page, json);
    json.end_array();
    json.key("thread_time").number(total_seconds(time_splits(profile)));
    json.key("time_bars").begin_array();
    for (const TimeBar& bar : time_bars(profile, most_time_bars)) {
        json.begin_object(Layout::compact);
        json.key("label").string(bar.label);
        for (const TimePart& part : time_parts)
            json.key(part.id).number(bar.split.*part.seconds);
        json.end_object();
    }
    json.end_array();
    json.key("quality").begin_array();
    for (const QualityFigure& figure : quality(profile)) {
        json.begin_object(Layout::compact);
        json.key("title").string(figure.title);
        json.key("value").string(figure.value);
        json.key("grade").string(word_of(figure.grade));
        json.key("sentence").string(figure.sentence);
        json.end_object();
    }
    json.end_array();
}

void write_efficiencies(const std::vector<RegionEfficiency>& regions, JsonWriter& json) {
    constexpr std::string_view bounds[] = {"", "at least", "at most"};
    json.key("efficiencies").begin_array();
    for (const RegionEfficiency& region : regions) {
        if (region.figures.empty())
            continue;
        json.begin_object();
        json.key("region").string(region.region);
        json.key("ranks").unsigned_integer(region.ranks);
        json.key("processors").unsigned_integer(region.processors);
        json.key("elapsed_ns").integer(region.elapsed_ns);
        json.key("remark").string(region.remark);
        json.key("figures").begin_array();
        for (const EfficiencyFigure& figure : region.figures) {
            json.begin_object(Layout::compact);
            json.key("id").string(figure.id);
            json.key("title").string(figure.title);
            json.key("value").number(figure.value);
            json.key("depth").unsigned_integer(figure.depth);
            json.key("bound").string(bounds[static_cast<std::size_t>(figure.bound)]);
            json.key("help").string(figure.explanation);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

}  // namespace

std::string page_scaling_json(const std::vector<Profile>& profiles) {
    std::vector<const Profile*> runs;
    for (const Profile& profile : profiles)
        runs.push_back(&profile);
    std::vector<std::uint32_t> order;
    const std::vector<RegionEfficiency> efficiencies =
        scaling_efficiencies(runs, Scaling::strong, order);
    std::string text;
    OutputFile out(text);
    JsonWriter json(out);
    json.begin_object();
    json.key("kind").string("runs");
    json.key("order").begin_array(Layout::compact);
    for (std::size_t i = 0; i < efficiencies.size(); i++)
        if (!efficiencies[i].figures.empty())
            json.unsigned_integer(order[i]);
    json.end_array();
    write_efficiencies(efficiencies, json);
    json.end_object();
    out.close();
    return text;
}

std::string page_run_json(const Profile& profile, const PageRun& page) {
    std::string text;
    OutputFile out(text);
    JsonWriter json(out);
    json.begin_object();
    json.key("format").integer(1);
    json.key("kind").string("profile");
    json.key("generator").string(format("vftrace %s", version));
    json.key("label").string(page.label);
    write_run(profile, json);
    json.key("notices").begin_array();
    for (const Notice& notice : profile.run.notices)
        json.string(full_sentence(notice));
    json.end_array();
    json.key("left_out").begin_array();
    for (const std::string& sentence : page.left_out)
        json.string(sentence);
    json.end_array();
    write_findings(profile, page, json);
    write_efficiencies(efficiencies(profile, page.regions.empty() ? nullptr : page.regions.c_str()),
                       json);
    write_metrics(profile, json);
    write_tables(profile, json);
    json.end_object();
    out.close();
    return text;
}

}  // namespace vftrace
